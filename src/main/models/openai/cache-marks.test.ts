import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import {
  createFakeLlamaServer,
  type FakeLlamaServer,
} from '../../../../tests/fakes/servers/fake-llama-server.ts'
import type { ChatMessage } from '../client/model-client.ts'
import { loadCacheMarks } from './cache-marks.ts'

const cacheMarksOf = await loadCacheMarks(
  join(import.meta.dirname, '../../../../resources/cloud-caches.json'),
)
const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const messages: ChatMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', content: 'Hello to you.' },
  { role: 'user', content: 'What may come next?' },
]

/** Returns the request that a server got, with the additions for `address`. */
async function sent(
  address: string,
  conversation?: string,
  model = 'qwen-plus',
): Promise<FakeLlamaServer['requests'][number]> {
  const fake = await createFakeLlamaServer({})
  const client = openaiClientOf(fake, {
    model,
    key: async () => 'secret',
    contextTokens: 32_768,
    ...cacheMarksOf(address, model),
  })
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
    'https://api.anthropic.com/v1',
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
  ])('goes to %s too', (address) =>
    expect(cacheMarksOf(address, 'qwen-plus')).toHaveProperty('hasCacheMarks', true),
  )
})

const openRouter = 'https://openrouter.ai/api/v1'

describe('a request to another service', () => {
  it.each(['anthropic/claude-sonnet-4.5', 'qwen/qwen3-max'])(
    'is marked on OpenRouter for %s, whose cache is asked for',
    async (model) => {
      const { headers, body } = await sent(openRouter, 'session', model)
      expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(2)
      expect(headers).not.toHaveProperty('x-dashscope-cachecontrol')
    },
  )

  it.each(['openai/gpt-5', 'deepseek/deepseek-chat'])(
    'is not marked on OpenRouter for %s, which keeps prompts by itself',
    async (model) => {
      expect(JSON.stringify((await sent(openRouter, 'session', model)).body)).not.toContain('cache_control')
    },
  )

  it('names its conversation to OpenAI, and only there', async () => {
    const asked = await sent('https://api.openai.com/v1', 'session', 'gpt-5')
    expect(asked.body).toMatchObject({ prompt_cache_key: 'session' })
    const beside = await sent('https://api.openai.com/v1', undefined, 'gpt-5')
    expect(beside.body).not.toHaveProperty('prompt_cache_key')
    for (const address of ['http://127.0.0.1:8080/v1', 'https://api.openai.com.example.org/v1', openRouter])
      expect((await sent(address, 'session', 'gpt-5')).body).not.toHaveProperty('prompt_cache_key')
  })
})
