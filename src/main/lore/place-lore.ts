import type { LoreEntry, LoreState, LoreUse } from '../../shared/domain/lore/lore.ts'

/** How many accepted takes are remembered, and on how many of them an entry must match to become standing. */
const limitPages = 8
const promotionPages = 2

export const emptyLoreState: LoreState = {
  standing: [],
  recent: [],
  pages: [],
  sent: null,
  recentTokens: null,
}

/** An entry that has a place in the prompt, with what it costs. Units: tokens. */
export type PricedEntry = { entry: LoreEntry; tokens: number; isMatched: boolean }

export type PlacedLore = { standing: PricedEntry[]; recent: PricedEntry[]; leftOut: PricedEntry[] }

/**
 * Gives the entries of a prompt their places.
 *
 * Standing are entries that always hold and promoted ones, by id; recent ones stay in their order of arrival.
 * When the budget is full, a newly matched entry replaces recent entries that this page does not match, those of the
 * lowest priority first. `leftOut` names these too, and those of earlier pages that the budget has no room for any more.
 * Shape: `priced` holds every entry in force that matched, always holds or is in `state`, newcomers in any order.
 */
export function placeLore(state: LoreState, priced: readonly PricedEntry[], budgetTokens: number) {
  const byPath = new Map(priced.map((one) => [one.entry.path, one]))
  const promoted = new Set(state.standing)
  const isStanding = ({ entry }: PricedEntry) => entry.always || promoted.has(entry.path)
  const leftOut: PricedEntry[] = []
  let room = budgetTokens

  const standing: PricedEntry[] = []
  const byPriority = priced.filter(isStanding).toSorted(firstKept)
  for (const one of byPriority) {
    if (one.tokens > room) leftOut.push(one)
    else {
      standing.push(one)
      room -= one.tokens
    }
  }
  standing.sort(byId)
  room = Math.min(room, state.recentTokens ?? room)

  let recent: PricedEntry[] = []
  for (const path of state.recent) {
    const one = byPath.get(path)
    if (one === undefined || isStanding(one)) continue
    if (one.tokens <= room) {
      recent.push(one)
      room -= one.tokens
    } else leftOut.push(one)
  }

  const known = new Set([...standing, ...recent, ...leftOut].map(({ entry }) => entry.path))
  const newcomers = priced.filter((one) => one.isMatched && !isStanding(one) && !known.has(one.entry.path))
  for (const one of newcomers.sort(firstKept)) {
    const freed = one.tokens <= room ? [] : replaceable(recent, one.tokens - room)
    if (freed === undefined) {
      leftOut.push(one)
      continue
    }
    recent = recent.filter((other) => !freed.includes(other))
    leftOut.push(...freed)
    room += freed.reduce((sum, { tokens }) => sum + tokens, 0) - one.tokens
    recent.push(one)
  }
  return { standing, recent, leftOut }
}

/** Returns entries that can be replaced to free these tokens; undefined where all of them are not enough. */
function replaceable(recent: readonly PricedEntry[], neededTokens: number): PricedEntry[] | undefined {
  const freed: PricedEntry[] = []
  let tokens = 0
  for (const one of recent.filter(({ isMatched }) => !isMatched).sort((a, b) => -firstKept(a, b))) {
    if (tokens >= neededTokens) break
    freed.push(one)
    tokens += one.tokens
  }
  return tokens >= neededTokens ? freed : undefined
}

/** Returns the state after a page: the recent entries that have a place keep it on the next page. */
export function keptState(state: LoreState, placed: PlacedLore): LoreState {
  return { ...state, recent: placed.recent.map(({ entry }) => entry.path) }
}

/**
 * Returns the state where the whole prompt is read again: entries that matched on several of the last pages, the one of
 * `matched` included, become standing, the rest leaves. On a first page, the entries that match now become standing.
 */
export function reanchored(state: LoreState, matched: readonly string[]): LoreState {
  const pages = [...state.pages, matched].slice(-limitPages)
  const least = Math.min(promotionPages, pages.length)
  const counts = new Map<string, number>()
  for (const path of pages.flat()) counts.set(path, (counts.get(path) ?? 0) + 1)
  const standing = [...counts].filter(([, count]) => count >= least).map(([path]) => path)
  return { ...state, standing: standing.sort(), recent: [], recentTokens: null }
}

/** Adds an accepted take to the pages, once. */
export function withPage(state: LoreState, takeId: string): LoreState {
  if (state.sent?.takeId !== takeId) return state
  return { ...state, pages: [...state.pages, state.sent.matched].slice(-limitPages), sent: null }
}

/** Drops entries that matched on none of the remembered pages: without an anchor nothing else drops them. */
export function withoutForgotten(state: LoreState): LoreState {
  const free = { ...state, standing: [], recentTokens: null }
  if (state.pages.length < limitPages) return free
  const remembered = new Set(state.pages.flat())
  return { ...free, recent: state.recent.filter((path) => remembered.has(path)) }
}

export function usesOf(placed: PlacedLore, reasonOf: (one: PricedEntry) => LoreUse['reason']): LoreUse[] {
  const use = (place: LoreUse['place']) => (one: PricedEntry) => ({
    path: one.entry.path,
    name: one.entry.name,
    place,
    reason: reasonOf(one),
    tokens: one.tokens,
  })
  return [
    ...placed.standing.map(use('standing')),
    ...placed.recent.map(use('recent')),
    ...placed.leftOut.map(use('left-out')),
  ]
}

/** Compares entries: high priority first, then by id, so that the same entries always come in the same order. */
function firstKept(a: PricedEntry, b: PricedEntry): number {
  return b.entry.priority - a.entry.priority || byId(a, b)
}

function byId(a: PricedEntry, b: PricedEntry): number {
  return a.entry.path < b.entry.path ? -1 : a.entry.path > b.entry.path ? 1 : 0
}
