import { describe, expect, it } from 'vitest'
import { type ModelClient, plainPrompt } from '../models/client/model-client.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { cachedCounts, withCountMemory } from './counting-client.ts'

const never = new AbortController().signal

/** A counter whose answers come when the test says so. */
function slowCounter() {
  const asked: { text: string; signal: AbortSignal; answer: (tokens: number) => void; fail: () => void }[] =
    []
  const counts = cachedCounts(
    (prompt, signal) => {
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        asked.push({
          text: typeof prompt === 'string' ? prompt : prompt.map(({ text }) => text).join(''),
          signal,
          answer: resolve,
          fail: () => reject(new Error('unreachable')),
        })
      })
    },
    contentHash,
    3,
  )
  const answerNext = async (tokens: number) => {
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    asked.shift()?.answer(tokens)
  }
  return { counts, asked, answerNext }
}

describe('token counts', () => {
  it('asks once for equal questions, also when they come together', async () => {
    const { counts, asked, answerNext } = slowCounter()
    const both = Promise.all([counts.count('猫', never), counts.count('猫', never)])
    await answerNext(2)
    expect(await both).toEqual([2, 2])
    expect(await counts.count('猫', never)).toBe(2)
    expect(asked).toEqual([])
  })

  it('keeps markers, plain text and pieces apart', async () => {
    const { counts, answerNext } = slowCounter()
    const answers = Promise.all([
      counts.count('[INST]', never),
      counts.count([{ text: '[INST]', isSpecial: true }], never),
      counts.count('[INST]', never, { isPiece: true }),
    ])
    for (const tokens of [7, 2, 6]) await answerNext(tokens)
    expect(await answers).toEqual([7, 2, 6])
  })

  it('asks one question at a time', async () => {
    const { counts, asked, answerNext } = slowCounter()
    const both = Promise.all([counts.count('a', never), counts.count('b', never)])
    await expect.poll(() => asked.map(({ text }) => text)).toEqual(['a'])
    await answerNext(1)
    await expect.poll(() => asked.map(({ text }) => text)).toEqual(['b'])
    await answerNext(2)
    expect(await both).toEqual([1, 2])
  })

  it('cuts a request only when nobody waits for it any more, and asks anew after that', async () => {
    const { counts, asked, answerNext } = slowCounter()
    const [one, two] = [new AbortController(), new AbortController()]
    const first = counts.count('猫', one.signal)
    const second = counts.count('猫', two.signal)
    await expect.poll(() => asked.length).toBe(1)
    const request = asked[0]
    one.abort(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    expect(request?.signal.aborted).toBe(false)
    two.abort(new Error('gone too'))
    await expect(second).rejects.toThrow('gone too')
    expect(request?.signal.aborted).toBe(true)
    asked.shift()
    const again = counts.count('猫', never)
    await answerNext(2)
    expect(await again).toBe(2)
  })

  it('remembers no failure and only so many answers', async () => {
    const { counts, asked, answerNext } = slowCounter()
    const failed = counts.count('猫', never)
    await expect.poll(() => asked.length).toBe(1)
    asked.shift()?.fail()
    await expect(failed).rejects.toThrow('unreachable')
    for (const [index, text] of ['a', 'b', 'c', 'd'].entries()) {
      const answer = counts.count(text, never)
      await answerNext(index)
      await answer
    }
    expect(await counts.count('d', never)).toBe(3)
    const evicted = counts.count('a', never)
    await answerNext(9)
    expect(await evicted).toBe(9)
  })

  it('forgets everything when another model answers', async () => {
    const { counts, answerNext } = slowCounter()
    const old = counts.count('猫', never)
    await answerNext(2)
    expect(await old).toBe(2)
    counts.forget()
    const anew = counts.count('猫', never)
    await answerNext(5)
    expect(await anew).toBe(5)
  })
})

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
  return { client: withCountMemory(client, 'Cat', contentHash), disposals: () => disposals }
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
