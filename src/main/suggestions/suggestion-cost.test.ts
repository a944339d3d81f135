import { describe, expect, it } from 'vitest'
import { SuggestionCost } from './suggestion-cost.ts'

const lost = { expectedTokens: 1_000, reusedTokens: 10, ms: 300 }

describe('the models that pause', () => {
  it('are named with why, until they are resumed', () => {
    const cost = new SuggestionCost()
    cost.answered('fine', { ...lost, reusedTokens: 990 })
    for (let i = 0; i < 2; i++) cost.answered('loses', lost)
    for (let i = 0; i < 3; i++) cost.timedOut('slow')
    expect(cost.pauses()).toEqual([
      { profileId: 'loses', reason: 'paused_cache' },
      { profileId: 'slow', reason: 'paused_timeouts' },
    ])
    cost.resume()
    expect(cost.pauses()).toEqual([])
    expect(cost.pause('slow')).toBeNull()
  })
})
