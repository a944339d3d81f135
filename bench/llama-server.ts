import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type ServerSpeed = { msPrompt: number; tokensPerSecond: number }

export type ServerRun = {
  /** The program, absolute. */
  program: string
  /** The model. */
  file: string
  threads: number
  contextTokens: number
  prompt: string
  maxTokens: number
  sampler: { temperature: number; topK: number; topP: number; minP: number }
}

/** Time limit of loading the model. */
const loadMs = 60_000
/** Time limit of reading and writing: a machine that needs longer is too busy to measure. */
const completionMs = 120_000

/** Returns the speed that a llama-server reports for one cold prompt and one answer. Errors: it ends or is too slow. */
export async function speedOfServer(run: ServerRun): Promise<ServerSpeed> {
  const port = await freePort()
  const options = { '-m': run.file, '--host': '127.0.0.1', '--port': port, '-c': run.contextTokens }
  const threads = { '-t': run.threads, '-tb': run.threads, '-np': 1 }
  const args = Object.entries({ ...options, ...threads }).flatMap(([name, value]) => [name, String(value)])
  const child = spawn(run.program, args, { stdio: 'ignore' })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${run.program} ended with ${code ?? signal}`)
  })
  ended.catch(() => undefined)
  try {
    const address = `http://127.0.0.1:${port}`
    await Promise.race([ended, ready(address)])
    return await Promise.race([ended, complete(address, run)])
  } finally {
    child.kill('SIGKILL')
  }
}

async function ready(address: string): Promise<void> {
  const until = performance.now() + loadMs
  while (performance.now() < until) {
    const answer = await fetch(`${address}/health`).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return
    await sleep(100)
  }
  throw new Error(`the llama-server was not ready within ${loadMs / 1_000} s`)
}

async function complete(address: string, run: ServerRun): Promise<ServerSpeed> {
  const { temperature, topK, topP, minP } = run.sampler
  const answer = await fetch(`${address}/completion`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt: run.prompt,
      n_predict: run.maxTokens,
      ignore_eos: true,
      seed: 1,
      temperature,
      top_k: topK,
      top_p: topP,
      min_p: minP,
    }),
    signal: AbortSignal.timeout(completionMs),
  })
  if (!answer.ok) throw new Error(`the llama-server answered ${answer.status}`)
  const { timings } = (await answer.json()) as {
    timings: { prompt_ms: number; predicted_per_second: number }
  }
  return { msPrompt: timings.prompt_ms, tokensPerSecond: timings.predicted_per_second }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
