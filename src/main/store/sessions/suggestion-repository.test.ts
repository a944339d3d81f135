import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { openWholeStore } from '../../../../tests/fakes/disks/test-store.ts'
import { manualClock } from '../../../../tests/fakes/manual-clock.ts'
import { newSuggestionEvent, type SuggestionEvent } from '../../../shared/domain/session/suggestion.ts'
import { systemRandom } from '../../platform/random.ts'

function opened() {
  const store = openWholeStore(join(tempFolder(), 'tsugi.db'), { clock: manualClock(), random: systemRandom })
  let count = 0
  const add = (event: Partial<SuggestionEvent> = {}) => {
    const suggestionId = `suggestion-${++count}`
    store.suggestions.add(
      newSuggestionEvent({
        suggestionId,
        sessionId: 'session',
        at: count,
        source: 'model',
        modelName: 'm',
        length: 9,
        promptTokens: 100,
        reusedTokens: 90,
        completionTokens: 4,
        msToSuggestion: 300,
        ...event,
      }),
    )
    return suggestionId
  }
  return { suggestions: store.suggestions, add }
}

const withoutModel = { source: null, length: 0, promptTokens: 0, reusedTokens: null, completionTokens: 0 }

describe('the record of suggestions', () => {
  it('sums up what became of them', () => {
    const { suggestions, add } = opened()
    add({ outcome: 'accepted', method: 'tab', similarity: 1, msToSuggestion: 200 })
    add({ outcome: 'accepted', method: 'right', similarity: 0.5, msToSuggestion: 900 })
    add({ outcome: 'ignored', similarity: 0, reusedTokens: null })
    add({ outcome: 'aborted', reason: 'run_active' })
    add({ ...withoutModel, source: 'tip', length: 4, msToSuggestion: 0 })
    add({ outcome: 'suppressed', reason: 'evaluative', length: 0, msToSuggestion: 5_000 })
    add({ ...withoutModel, outcome: 'suppressed', reason: 'plan_mode' })
    add({ ...withoutModel, outcome: 'suppressed', reason: 'plan_mode' })
    expect(suggestions.summary()).toEqual({
      offered: 5,
      accepted: 2,
      ignored: 1,
      methods: { tab: 1, enter: 0, right: 1 },
      reasons: { run_active: 1, evaluative: 1, plan_mode: 2 },
      promptTokens: 500,
      reusedTokens: 360,
      completionTokens: 20,
      similarity: 0.5,
      msToSuggestion: 300,
    })
  })

  it('of nothing is nothing', () => {
    const { suggestions, add } = opened()
    const empty = suggestions.summary()
    expect(empty).toMatchObject({ offered: 0, promptTokens: 0, reasons: {}, similarity: null })
    add({ outcome: 'accepted' })
    suggestions.erase()
    expect(suggestions.summary()).toEqual(empty)
    expect(suggestions.list({ limit: 10 })).toEqual({ events: [], hasMore: false })
  })

  it('is changed where it stands, and read page by page', () => {
    const { suggestions, add } = opened()
    const first = add()
    add()
    suggestions.change(first, { outcome: 'accepted', method: 'enter' })
    suggestions.change('gone', { outcome: 'ignored' })
    const page = suggestions.list({ limit: 1 })
    expect(page).toMatchObject({
      events: [{ suggestionId: 'suggestion-2', outcome: 'offered' }],
      hasMore: true,
    })
    const [newest] = page.events
    expect(suggestions.list({ before: newest?.seq, limit: 1 })).toMatchObject({
      events: [{ suggestionId: first, method: 'enter' }],
      hasMore: false,
    })
  })
})
