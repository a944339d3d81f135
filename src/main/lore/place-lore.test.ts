import { describe, expect, it } from 'vitest'
import { type LoreEntry, LoreSettings, type LoreState } from '../../shared/domain/lore/lore.ts'
import {
  emptyLoreState,
  keptState,
  type PricedEntry,
  placeLore,
  reanchored,
  withoutForgotten,
  withPage,
} from './place-lore.ts'

const priced = (
  name: string,
  options: Partial<LoreEntry> & { tokens?: number; isMatched?: boolean } = {},
) => {
  const { tokens = 100, isMatched = true, ...settings } = options
  const own = { path: name, name, text: name, textFrom: 0, problems: [] }
  const entry = { ...LoreSettings.parse({}), ...own, ...settings }
  return { entry, tokens, isMatched } satisfies PricedEntry
}
const names = (list: readonly PricedEntry[]) => list.map(({ entry }) => entry.name)
const state = (change: Partial<LoreState>): LoreState => ({ ...emptyLoreState, ...change })

describe('placing lore', () => {
  it('keeps the order of arrival while an entry that is not matched any more stays', () => {
    const first = placeLore(emptyLoreState, [priced('b')], 1000)
    const second = placeLore(
      keptState(emptyLoreState, first),
      [priced('a'), priced('b', { isMatched: false })],
      1000,
    )
    expect(names(second.recent)).toEqual(['b', 'a'])
  })

  it('gives newly matched entries no more room than the last move left them', () => {
    const limited = state({ standing: ['c'], recentTokens: 150 })
    const placed = placeLore(limited, [priced('c'), priced('a'), priced('b', { tokens: 60 })], 1000)
    expect(names(placed.standing)).toEqual(['c'])
    expect([names(placed.recent), names(placed.leftOut)]).toEqual([['a'], ['b']])
    expect(reanchored(limited, ['a']).recentTokens).toBeNull()
    expect(withoutForgotten(limited).recentTokens).toBeNull()
  })

  it('puts what always holds and what was promoted before them, by id', () => {
    const placed = placeLore(
      state({ standing: ['c'] }),
      [priced('z', { always: true }), priced('c', { isMatched: false }), priced('b')],
      1000,
    )
    expect([names(placed.standing), names(placed.recent)]).toEqual([['c', 'z'], ['b']])
  })

  it('replaces the lowest priority that did not match, and names what found no room', () => {
    const held = [
      priced('low', { priority: 10, isMatched: false }),
      priced('high', { priority: 90, isMatched: false }),
      priced('here', { priority: 1 }),
    ]
    const before = state({ recent: ['low', 'high', 'here'] })
    const placed = placeLore(before, [...held, priced('new')], 300)
    expect([names(placed.recent), names(placed.leftOut)]).toEqual([['high', 'here', 'new'], ['low']])
    const full = placeLore(before, [...held, priced('huge', { tokens: 250 })], 300)
    expect([names(full.recent), names(full.leftOut)]).toEqual([['low', 'high', 'here'], ['huge']])
  })

  it('names an entry of an earlier page that what always holds leaves no room for', () => {
    const placed = placeLore(
      state({ recent: ['old'] }),
      [priced('world', { always: true, tokens: 250 }), priced('old', { isMatched: false })],
      300,
    )
    expect([names(placed.recent), names(placed.leftOut)]).toEqual([[], ['old']])
  })
})

describe('the pages of a work', () => {
  it('promote at a new anchor what matched on two of the last eight, and let the rest leave', () => {
    const pages = [['a'], ['b', 'c'], ['c'], [], ['a']]
    const next = reanchored(state({ standing: ['old'], recent: ['a', 'b', 'c'], pages }), ['d'])
    expect([next.standing, next.recent]).toEqual([['a', 'c'], []])
    expect(reanchored(state({ pages }), ['b']).standing).toEqual(['a', 'b', 'c'])
  })

  it('begin with what matches on the first one, whose head is read anyway', () => {
    expect(reanchored(state({}), ['b', 'a']).standing).toEqual(['a', 'b'])
  })

  it('count a take once, when it is accepted', () => {
    const sent = state({ sent: { takeId: 't1', matched: ['a'] } })
    const once = withPage(sent, 't1')
    expect(once.pages).toEqual([['a']])
    expect(withPage(once, 't1')).toBe(once)
    expect(withPage(sent, 'other')).toBe(sent)
  })

  it('without an anchor, let go what none of the eight matched', () => {
    const pages = Array.from({ length: 8 }, () => ['a'])
    expect(withoutForgotten(state({ recent: ['a', 'b'], pages })).recent).toEqual(['a'])
    expect(withoutForgotten(state({ recent: ['a', 'b'], pages: pages.slice(1) })).recent).toEqual(['a', 'b'])
  })
})
