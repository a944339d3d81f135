import { describe, expect, it } from 'vitest'
import type { SuggestionOutcome } from '../../../src/shared/domain/session/suggestion.ts'
import { isForSuggestion, justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'
import { requestEnded, requestsOf, watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }

async function host(options: SessionHostOptions & { suggestion?: () => string } = {}) {
  const { thoughts = [], suggestion = () => 'run the tests', ...rest } = options
  const session = await scriptedHost(thoughts, {
    language: 'en',
    answer: (request) => (isForSuggestion(request) ? { text: suggestion() } : undefined),
    ...rest,
  })
  return { session, mind: session.mind }
}

const ignored: SuggestionOutcome = {
  outcome: 'ignored',
  method: null,
  timeMs: 40,
  firstKeystrokeMs: 30,
  wasFocused: true,
}

/** Two turns, so that the conversation is no longer young. */
async function twoTurns(session: SessionHost): Promise<void> {
  await session.say('tell me about the cat '.repeat(20))
  await session.rest()
  await session.say('and now the dog')
  await session.rest()
}

async function events({ app }: SessionHost) {
  return app.api['suggestion.list']({ limit: 100 }, context)
}

describe('a suggestion after a turn', () => {
  it('reads next to nothing anew, and the conversation goes on as if it had not been', async () => {
    const { session, mind } = await host({
      thoughts: [...justAnswer('The cat sleeps.'), ...justAnswer('The dog sleeps too.')],
    })
    const window = await watchSuggestions(session)
    await twoTurns(session)
    expect(await window.shown()).toMatchObject({ text: 'run the tests', source: 'model' })

    const { generations } = session.llama.counts
    const [main, suggestion] = generations.slice(3, 5)
    if (main === undefined || suggestion === undefined) throw new Error('two requests')
    const conversation = main.promptTokens + main.predictedTokens
    expect(suggestion.reusedTokens / conversation).toBeGreaterThanOrEqual(0.99)

    const { suggestionId } = await window.shown()
    const said = { sessionId: session.sessionId, suggestionId, outcome: ignored }
    expect(await session.app.api['suggestion.outcome'](said, context)).toEqual({ isFirst: true })
    expect(await session.app.api['suggestion.outcome'](said, context)).toEqual({ isFirst: false })
    await window.becomes({ text: null })

    mind.think(...justAnswer('It is big.'))
    await session.say('how big is it')
    await session.rest()
    const next = await requestEnded(session, 'decision', 3)
    // Of all that was read before, the suggestion's own message alone is dropped.
    expect(next.reusedTokens).toBeGreaterThanOrEqual(conversation - 2)
    expect(session.bugs).toEqual([])
  })

  it('is judged by the next message and kept without its text, until the user erases it', async () => {
    const { session, mind } = await host({ thoughts: [...justAnswer('One.'), ...justAnswer('Two.')] })
    const window = await watchSuggestions(session)
    await twoTurns(session)
    const { suggestionId } = await window.shown()
    const outcome: SuggestionOutcome = { ...ignored, outcome: 'accepted', method: 'tab' }
    await session.app.api['suggestion.outcome'](
      { sessionId: session.sessionId, suggestionId, outcome },
      context,
    )
    mind.think(...justAnswer('Done.'))
    await session.say('run the test')
    await session.rest()
    const found = (await events(session)).events.find((event) => event.suggestionId === suggestionId)
    expect(found).toMatchObject({
      outcome: 'accepted',
      method: 'tab',
      timeMs: 40,
      source: 'model',
      length: 13,
    })
    expect(found?.similarity).toBeCloseTo(1 - 1 / 13)
    expect(found?.completionTokens).toBeGreaterThan(0)
    expect(JSON.stringify(found)).not.toContain('run the')
    const { summary } = await events(session)
    expect(summary).toMatchObject({ accepted: 1 })
    expect(summary.reasons.early_conversation).toBe(1)
    await session.app.api['suggestion.erase']({}, context)
    expect((await events(session)).events.filter((event) => event.suggestionId === suggestionId)).toEqual([])
  })

  it('asks the model nothing where the reply itself says what to type', async () => {
    const { session } = await host({
      thoughts: [...justAnswer('One.'), ...justAnswer('Tip: type `post comments` to publish findings')],
    })
    const window = await watchSuggestions(session)
    await twoTurns(session)
    expect(await window.shown()).toMatchObject({ text: 'post comments', source: 'tip' })
    expect((await requestsOf(session)).map(({ purpose }) => purpose)).not.toContain('forked_query')
  })

  it('is not shown where the filter knows better, and says which rule', async () => {
    const { session } = await host({
      thoughts: [...justAnswer('One.'), ...justAnswer('Two.')],
      suggestion: () => 'Looks good to me',
    })
    const window = await watchSuggestions(session)
    await twoTurns(session)
    expect(await window.becomes({ suppressed: 'evaluative' })).toMatchObject({ text: null })
    expect((await events(session)).summary.reasons.evaluative).toBe(1)
  })
})

describe('a guard', () => {
  it.each([
    ['no person watches', 'driven_by_program', (session: SessionHost) => watchSuggestions(session, false)],
    [
      'the switch is off',
      'setting_off',
      async (session: SessionHost) => {
        await session.app.api['settings.update']({ patch: { enableFollowupSuggestions: false } }, context)
        return watchSuggestions(session)
      },
    ],
    [
      'the cache may not be shared on a server with one slot',
      'cache_sharing_off',
      async (session: SessionHost) => {
        await session.app.api['settings.update']({ patch: { enableCacheSharing: false } }, context)
        return watchSuggestions(session)
      },
    ],
  ])('that closes before: %s', async (_, reason, open) => {
    const { session } = await host({ thoughts: [...justAnswer('One.'), ...justAnswer('Two.')] })
    const window = await open(session)
    await twoTurns(session)
    await window.becomes({ suppressed: reason })
    expect(session.llama.counts.generations).toHaveLength(4)
  })

  it('that closes later takes the ghost away, in every window', async () => {
    const { session } = await host({ thoughts: [...justAnswer('One.'), ...justAnswer('Two.')] })
    const [one, two] = [await watchSuggestions(session), await watchSuggestions(session)]
    await twoTurns(session)
    await Promise.all([one.shown(), two.shown()])
    await session.app.api['session.setMode']({ sessionId: session.sessionId, mode: 'plan' }, context)
    await one.becomes({ suppressed: 'plan_mode' })
    await two.becomes({ text: null })
    expect((await events(session)).summary.reasons.plan_mode).toBe(1)
  })

  it('ends what is being read at the server when the user goes on', async () => {
    const { session, mind } = await host({
      thoughts: [...justAnswer('One.'), ...justAnswer('Two.')],
      suggestion: () => 'run the tests '.repeat(200),
      llama: { tokenMs: 5 },
    })
    await watchSuggestions(session)
    await twoTurns(session)
    while (session.llama.pendingCount === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    mind.think(...justAnswer('Three.'))
    await session.say('go on')
    await session.rest()
    expect(session.llama.counts.aborted).toBe(1)
    const [aborted] = session.llama.counts.generations.filter(({ isAborted }) => isAborted)
    expect(aborted?.predictedTokens).toBeLessThan(64)
    expect((await events(session)).summary.reasons.run_active).toBe(1)
    expect(session.bugs).toEqual([])
  })
})

describe('a window that is loaded anew', () => {
  it('finds the ghost that it left, for nothing', async () => {
    const { session } = await host({ thoughts: [...justAnswer('One.'), ...justAnswer('Two.')] })
    const first = await watchSuggestions(session)
    await twoTurns(session)
    const shown = await first.shown()
    await requestEnded(session, 'pre_read')
    const asked = session.llama.counts.generations.length
    await first.close()
    const second = await watchSuggestions(session)
    await second.close()
    const third = await watchSuggestions(session)
    expect(await third.shown()).toEqual(shown)
    await third.decide('accepted')
    const { events: told, summary } = await events(session)
    expect(session.llama.counts.generations).toHaveLength(asked)
    expect(told.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['accepted', null],
      ['suppressed', 'early_conversation'],
    ])
    expect(summary).toMatchObject({ offered: 1, accepted: 1 })
    expect(session.bugs).toEqual([])
  })

  it('finds none where something was said meanwhile, and each turn without a window is recorded', async () => {
    const { session, mind } = await host({ thoughts: [...justAnswer('One.'), ...justAnswer('Two.')] })
    const first = await watchSuggestions(session)
    await twoTurns(session)
    await first.shown()
    await first.close()
    mind.think(...justAnswer('Three.'))
    await session.say('go on')
    await expect.poll(async () => (await events(session)).events.length).toBe(3)
    const second = await watchSuggestions(session)
    await second.becomes({ text: null })
    const { events: told } = await events(session)
    expect(told.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['suppressed', 'no_window'],
      ['aborted', 'no_window'],
      ['suppressed', 'early_conversation'],
    ])
    expect(session.bugs).toEqual([])
  })
})
