import { afterEach, describe, expect, it } from 'vitest'
import { createFakeLlamaServer, type FakeLlamaServer } from '../../../../tests/fakes/fake-llama-server.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ChatMessage } from '../client/model-client.ts'
import { controlStringsOf } from '../completion/break-control-strings.ts'
import { RequestQueue } from '../completion/request-queue.ts'
import { cacheMarksOf } from './dashscope.ts'
import { OpenaiClient } from './openai-client.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const messages: ChatMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', content: 'Hello to you.' },
  { role: 'user', content: 'What may come next?' },
]

/** What a server saw of one request, with the options that `address` brings. */
async function sent(address: string, conversation?: string): Promise<FakeLlamaServer['requests'][number]> {
  const fake = await createFakeLlamaServer({})
  const client = new OpenaiClient(
    { clock: systemClock, queue: new RequestQueue() },
    {
      address: fake.address,
      model: 'qwen-plus',
      flavour: 'other',
      key: async () => 'secret',
      contextTokens: 32_768,
      canCallTools: undefined,
      controls: controlStringsOf([]),
      timeouts: { connectMs: 5_000, firstTokenMs: 20_000, idleMs: 20_000 },
      ...cacheMarksOf(address),
    },
  )
  open.push(fake, { close: () => client.dispose() })
  const request = { messages, sampler, maxTokens: 8, stops: [], seed: 1 }
  const more = conversation === undefined ? {} : { conversation }
  for await (const _ of client.chat({ ...request, ...more }, new AbortController().signal));
  const found = fake.requests.find(({ path }) => path.endsWith('/chat/completions'))
  if (found === undefined) throw new Error('nothing was asked')
  return found
}

const dashScope = 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'

describe('a request to DashScope', () => {
  it('marks the head and the end of a conversation for its cache', async () => {
    const { headers, body } = await sent(dashScope, 'session')
    expect(headers).toMatchObject({ 'x-dashscope-cachecontrol': 'enable', authorization: 'Bearer secret' })
    const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: marked('Be kind.') },
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hello to you.' },
        { role: 'user', content: marked('What may come next?') },
      ],
    })
  })

  it('marks nothing that no later request begins with', async () => {
    expect(JSON.stringify((await sent(dashScope)).body)).not.toContain('cache_control')
  })

  it.each([
    'http://127.0.0.1:8080/v1',
    'https://api.openai.com/v1',
    'https://dashscope.aliyuncs.com.example.org/v1',
    'https://example.org/dashscope.aliyuncs.com',
  ])('is told from one to %s', async (address) => {
    const { headers, body } = await sent(address, 'session')
    expect(headers).not.toHaveProperty('x-dashscope-cachecontrol')
    expect(JSON.stringify(body)).not.toContain('cache_control')
  })

  it.each([
    'https://dashscope.aliyuncs.com/compatible-mode/v1',
    'https://dashscope-us.aliyuncs.com/compatible-mode/v1',
    'https://ws-1.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1',
  ])('goes to %s too', (address) => expect(cacheMarksOf(address)).toHaveProperty('hasCacheMarks', true))
})
