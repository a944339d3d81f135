/**
 * A server that counts tokens as KoboldCpp does, with the real tokenizer of a model file (first argument).
 *
 * Shape: one connection per request; 0 for 50,000 tokens or more, except below `/uncapped`. Sends its port to
 * its parent and ends with it. Source: KoboldCpp 1.76 as measured, `POST /api/extra/tokencount`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'

const cappedAt = 50_000
const llama = await getLlama({ build: 'never', maxThreads: 1, logLevel: LlamaLogLevel.error })
const model = await llama.loadModel({ modelPath: process.argv[2] ?? '', vocabOnly: true })

const server = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt } = JSON.parse(await text(request)) as { prompt: string }
  // Markers are control tokens in every place; BOS is counted.
  const tokens = model.tokenize(prompt, true).length + 1
  const isCapped = tokens >= cappedAt && !request.url?.startsWith('/uncapped')
  response.setHeader('connection', 'close')
  response.end(JSON.stringify({ value: isCapped ? 0 : tokens, ids: [] }))
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
