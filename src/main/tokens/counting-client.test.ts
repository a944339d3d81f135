import { describe, expect, it } from 'vitest'
import { type ModelClient, plainPrompt } from '../models/client/model-client.ts'
import { withCountMemory } from './counting-client.ts'

const never = new AbortController().signal
const prompt = plainPrompt('雨')

/** A client of a server that answers nothing until it is told to. */
function hungClient() {
  const hung = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  let disposals = 0
  const client = {
    capabilities: { hasCounter: true },
    learn: hung,
    describe: hung,
    contextWindow: hung,
    countTokens: (_: unknown, signal: AbortSignal) => hung(signal),
    countChat: (_: unknown, signal: AbortSignal) => hung(signal),
    dispose: async () => {
      disposals += 1
    },
  } as unknown as ModelClient
  return { client: withCountMemory(client, 'Cat', (text) => text), disposals: () => disposals }
}

type Asking = (client: ModelClient, signal: AbortSignal) => Promise<unknown> | undefined

describe.each<[string, Asking]>([
  ['a count', (client, signal) => client.countTokens?.(prompt, signal)],
  ['the count of a chat', (client, signal) => client.countChat?.({ messages: [] }, signal)],
  ['its context window', (client, signal) => client.contextWindow(signal)],
  ['its description', (client, signal) => client.describe(signal)],
  ['its abilities', (client, signal) => client.learn?.(signal)],
])('what waits for %s of a server that hangs', (_, ask) => {
  it('ends with the client, by its name', async () => {
    const { client, disposals } = hungClient()
    const asked = ask(client, never)
    await client.dispose()
    await expect(asked).rejects.toMatchObject({ info: { code: 'model/replaced', modelName: 'Cat' } })
    expect(disposals()).toBe(1)
    await expect(ask(client, never)).rejects.toMatchObject({ info: { code: 'model/replaced' } })
  })

  it('ends as its caller wants where that one stops', async () => {
    const { client } = hungClient()
    const stop = new AbortController()
    const asked = ask(client, stop.signal)
    stop.abort(new Error('stopped'))
    await client.dispose()
    await expect(asked).rejects.toThrow('stopped')
  })
})
