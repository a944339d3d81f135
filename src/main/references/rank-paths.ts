import type { ReferenceCandidate } from '../../shared/domain/session/file-reference.ts'
import { type PathIndex, placeOf } from './path-index.ts'
import { PathMatch } from './path-match.ts'

/** Weights of the parts of a rank, so far apart that no part reaches the next. */
const weight = { tier: 2 ** 32, gap: 2 ** 26, recency: 2 ** 14 }
const mostGaps = 60
const mostRecent = 2_000

/**
 * Returns the best paths for a query. Prefers its letters together to letters apart, a match in the name to one
 * anywhere, then names that begin with the query, then the last used, then the shorter paths.
 *
 * Shape: `recent` are paths of the index, last used first. Source: `docs/decisions/references.md`, Completion.
 */
export function rankPaths(
  index: PathIndex,
  query: string,
  recent: readonly string[],
  limit: number,
): ReferenceCandidate[] {
  const match = new PathMatch(index, query)
  const best = new BestOf(limit)
  addRecent(index, match, recent.slice(0, mostRecent), best)
  addOthers(index, match, best)
  return best.places().map((at) => {
    const path = index.paths[at] ?? ''
    return { path, kind: path.endsWith('/') ? 'folder' : 'file' }
  })
}

function addRecent(index: PathIndex, match: PathMatch, recent: readonly string[], best: BestOf): void {
  for (const [recency, path] of recent.entries()) {
    const at = placeOf(index, path)
    if (at < 0) continue
    for (const [tier, { gaps }] of match.tiers.entries()) {
      const found = gaps(at)
      if (found < 0) continue
      best.add(at, rankOf(tier, found, recency, index.lengths[at] ?? 0))
      break
    }
  }
}

/** Adds paths, the best tier first and in each tier the shorter first; ends as soon as no other path can be better. */
function addOthers({ lengths }: PathIndex, match: PathMatch, best: BestOf): void {
  const { mask } = match
  for (const [tier, { gaps, masks, fewest }] of match.tiers.entries()) {
    if (rankOf(tier, fewest, mostRecent, 0) >= best.worst) return
    for (let at = 0; at < masks.length; at++) {
      if (((masks[at] ?? 0) & mask) !== mask) continue
      const found = gaps(at)
      if (found < 0) continue
      const length = lengths[at] ?? 0
      if (rankOf(tier, fewest, mostRecent, length) >= best.worst) break
      best.add(at, rankOf(tier, found, mostRecent, length))
    }
  }
}

function rankOf(tier: number, gaps: number, recency: number, length: number): number {
  return tier * weight.tier + Math.min(gaps, mostGaps) * weight.gap + recency * weight.recency + length
}

/** The lowest ranks so far, in order; each place once, with the first of its ranks. */
class BestOf {
  readonly #limit: number
  readonly #found: { at: number; rank: number }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A rank of this value or higher is not among the best. */
  get worst(): number {
    const last = this.#found.length < this.#limit ? undefined : this.#found.at(-1)
    return last?.rank ?? Number.POSITIVE_INFINITY
  }

  add(at: number, rank: number): void {
    if (rank >= this.worst || this.#found.some((found) => found.at === at)) return
    if (this.#found.length >= this.#limit) this.#found.pop()
    let place = this.#found.length
    while (place > 0 && (this.#found[place - 1]?.rank ?? 0) > rank) place--
    this.#found.splice(place, 0, { at, rank })
  }

  places(): number[] {
    return this.#found.map(({ at }) => at)
  }
}
