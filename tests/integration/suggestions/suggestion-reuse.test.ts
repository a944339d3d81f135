import { describe, expect, it } from 'vitest'
import { ModelRequest } from '../../../src/shared/domain/model/model-request.ts'
import { calls, justAnswer, plan, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'
import { requestEnded, requestsOf, watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

/** A session after two turns, with a ghost that has been read in advance. */
async function suggested(options: SessionHostOptions = {}) {
  const thoughts = [...justAnswer('The cat sleeps.'), ...justAnswer('The dog sleeps too.')]
  const session = await scriptedHost(thoughts, { language: 'en', ...options })
  session.mind.suggest('run the tests', 'commit this', 'push it now')
  const window = await watchSuggestions(session)
  await session.say('tell me about the cat '.repeat(20))
  await session.rest()
  await session.say('and now the dog')
  await session.rest()
  const ghost = await window.shown()
  await requestEnded(session, 'pre_read')
  return { mind: session.mind, session, window, ghost }
}

/** The requests of one purpose as the server counted them. */
type Purpose = Parameters<typeof requestEnded>[1]

describe('a suggested message that is read in advance', () => {
  it('is, when it is sent, read already: all but the last token', async () => {
    const { mind, session, window } = await suggested()
    await window.decide('accepted')
    mind.think(...justAnswer('They pass.'))
    await session.say('run the tests')
    await session.rest()
    const [preRead] = (await requestsOf(session)).filter(({ purpose }) => purpose === 'pre_read')
    const decision = await requestEnded(session, 'decision', 3)
    expect(decision.promptTokens).toBe(preRead?.promptTokens)
    expect(decision.reusedTokens).toBe(decision.promptTokens - 1)
    // To the letter: the same request but for how much may be said.
    const sent = session.llama.requests.flatMap(({ body }) => (isAsked(body) ? [body] : []))
    const [read, asked] = sent.slice(5, 7).map(({ max_tokens: _most, seed: _seed, ...same }) => same)
    expect(read).toEqual(asked)
    expect(session.bugs).toEqual([])
  })

  it('costs the conversation nothing where something else is said', async () => {
    const { mind, session, window } = await suggested()
    await window.decide('ignored')
    mind.think(...justAnswer('It is big.'))
    await session.say('how big is the dog')
    await session.rest()
    const requests = await requestsOf(session)
    const before = requests.filter(({ isBackground }) => !isBackground)[3]
    const decision = await requestEnded(session, 'decision', 3)
    if (before === undefined) throw new Error('no reply')
    // What the conversation had: its last prompt and what was answered, but for the template's end.
    expect(decision.reusedTokens).toBeGreaterThanOrEqual(before.promptTokens + before.completionTokens - 2)
    expect((await session.app.api['suggestion.list']({ limit: 10 }, never)).pauses).toEqual([])
  })

  it('is in the figures of the session, and nowhere in what was said', async () => {
    const { session } = await suggested()
    const { sessionId, app } = session
    const requests = await requestsOf(session)
    expect(requests.map(({ purpose }) => purpose)).toEqual<Purpose[]>([
      'decision',
      'reply',
      'decision',
      'reply',
      'forked_query',
      'pre_read',
    ])
    expect(requests.filter(({ isBackground }) => isBackground)).toHaveLength(2)
    for (const request of requests) expect(ModelRequest.safeParse(request).error).toBeUndefined()
    const sum = (of: (request: (typeof requests)[number]) => number) =>
      requests.reduce((total, request) => total + of(request), 0)
    expect(await app.api['session.stats']({ sessionId }, never)).toMatchObject({
      requests: 6,
      promptTokens: sum(({ promptTokens }) => promptTokens),
      completionTokens: sum(({ completionTokens }) => completionTokens),
    })
    const unknown = app.api['session.requests']({ sessionId: 'none' }, never)
    await expect(unknown).rejects.toMatchObject({ info: { code: 'session/not-found' } })
    const { messages } = await app.api['session.context']({ sessionId }, never)
    const { markdown } = await app.api['session.export']({ sessionId }, never)
    for (const text of [JSON.stringify(messages), JSON.stringify(await session.items()), markdown]) {
      expect(text).not.toContain('SUGGESTION MODE')
      expect(text).not.toContain('run the tests')
    }
  })

  it('ends at the server before another token of it is read when a message comes', async () => {
    const { mind, session, window } = await suggested()
    session.llama.options.promptTokenMs = 5
    mind.think(...justAnswer('It is big.'), ...justAnswer('They pass.'))
    mind.suggest('run the tests '.repeat(3))
    await window.decide('ignored')
    await session.say('how big is the dog')
    await session.rest()
    await window.shown()
    while (session.llama.pendingCount === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    await session.say('how small is the cat')
    await session.rest()
    const preRead = await requestEnded(session, 'pre_read', 2)
    expect(preRead.end).toBe('stopped')
    const { generations, aborted } = session.llama.counts
    expect(aborted).toBe(1)
    expect(generations.find(({ isAborted }) => isAborted)).toMatchObject({ predictedTokens: 0 })
    expect(session.bugs).toEqual([])
  })
})

describe('while a gate is open', () => {
  it('nothing is asked and nothing is read in advance', async () => {
    const { mind, session, window } = await suggested({ files: { 'a.txt': 'one\n' } })
    mind.think(
      workIn('PLANNING'),
      plan('write it'),
      workIn('EXECUTION'),
      calls(['write_file', { path: 'b.txt', content: 'two\n', reason: 'it was asked for' }]),
    )
    const before = session.llama.counts.generations.length
    await session.say('write it')
    await window.becomes({ suppressed: 'permission_dialog' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await session.gate()).toBeDefined()
    expect(session.llama.counts.generations).toHaveLength(before + 4)
    expect((await requestsOf(session)).slice(-4).some(({ isBackground }) => isBackground)).toBe(false)
  })
})

const never = { signal: new AbortController().signal }

function isAsked(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && 'messages' in body && 'max_tokens' in body
}
