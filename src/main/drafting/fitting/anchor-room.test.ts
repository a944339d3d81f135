import { describe, expect, it } from 'vitest'
import { anchorRoom, type PageCosts } from './anchor-room.ts'

/** Pages of the bench, on a server that counts more than one token a character. */
const known: PageCosts = {
  availableTokens: 16_352,
  restTokens: 1_600,
  pageTokens: 540,
  behindTokens: 180,
  recentTokens: 1_100,
}
const roomOf = (change: Partial<PageCosts> = {}) => {
  const costs = { ...known, ...change }
  const { bodyTokens, recentTokens } = anchorRoom(costs)
  const room = costs.availableTokens - costs.restTokens - recentTokens
  const pages = (room - bodyTokens) / costs.pageTokens
  const held = costs.pageTokens + costs.behindTokens
  const perPage = held + 0.7 * recentTokens + (costs.restTokens + bodyTokens - held) / pages
  return { share: bodyTokens / room, recentTokens, perPage }
}

describe('the room after a move of the anchor', () => {
  it('is filled as far as a page is expected to cost no more than the goal', () => {
    for (const change of [{}, { availableTokens: 8_160 }, { recentTokens: 100 }, { restTokens: 4_000 }]) {
      const { perPage, share } = roomOf(change)
      expect(perPage).toBeLessThanOrEqual(1_401)
      expect(perPage).toBeGreaterThan(1_300)
      expect(share).toBeGreaterThanOrEqual(0.299)
      expect(share).toBeLessThan(0.7)
    }
  })

  it('is filled to 70 % where pages cost little, and all of the budget is left to new entries', () => {
    const { share, recentTokens } = roomOf({ pageTokens: 250, behindTokens: 80, recentTokens: 400 })
    expect(share).toBeCloseTo(0.7)
    expect(recentTokens).toBe(400)
  })

  it('is limited first for the text, then for new entries, whose room shrinks to a quarter at most', () => {
    const few = roomOf({ recentTokens: 100 })
    expect(few).toMatchObject({ recentTokens: 100 })
    expect(few.share).toBeGreaterThan(roomOf().share)
    const crowded = roomOf({ recentTokens: 2_000 })
    expect(crowded.share).toBeLessThan(few.share)
    expect(crowded.recentTokens).toBeLessThan(1_000)
    // No share meets the goal here.
    const dear = roomOf({ pageTokens: 1_200, behindTokens: 400 })
    expect(dear.share).toBeCloseTo(0.3)
    expect(dear.recentTokens).toBe(275)
  })

  it('is no room for a body where the rest of the prompt fills the context', () => {
    expect(anchorRoom({ ...known, restTokens: 17_000 }).bodyTokens).toBeLessThanOrEqual(0)
    expect(anchorRoom({ ...known, restTokens: known.availableTokens, recentTokens: 0 }).bodyTokens).toBe(0)
  })
})
