import type { ReferenceCandidate } from '../../shared/domain/session/file-reference.ts'
import { codesOf, maskOf, type PathIndex, pairMaskOf, placeOf, searchKey } from './path-index.ts'

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

/**
 * One kind of match, the better the earlier in the list. `gaps` returns the number of gaps, -1 where the path does not match.
 *
 * Shape: called only where `masks` has all bits of the query; `fewest` is the least number of gaps of a path that
 * matches in no earlier tier.
 */
type MatchTier = { masks: Int32Array; fewest: 0 | 1; gaps(at: number): number }

const looked = 1
const hasAll = 2
const endsWithHead = 4
const endsInGap = 8

/** Matches the paths of an index against one query. Each folder is examined once for all that it contains. */
class PathMatch {
  /** The best tier first; a path that matches in one of them matches in later ones, too. */
  readonly tiers: readonly MatchTier[]
  readonly mask: number
  readonly #index: PathIndex
  readonly #wanted: Uint16Array
  readonly #pairs: number
  /** For each position in the query, the mask of the letters from there to the end. */
  readonly #restMasks: Int32Array
  /** The position in the query at which a folder ends and a name begins: after its last inner `/`; 0 without one. */
  readonly #head: number
  readonly #known: Uint8Array
  /** For each folder, the number of the query's letters that it contains in order, and the gaps between them. */
  readonly #letters: Uint16Array
  readonly #gaps: Uint16Array

  /** One object for all paths, so that none is allocated for each of them. */
  readonly #reached = { letters: 0, gaps: 0, isGap: false }

  constructor(index: PathIndex, query: string) {
    const key = searchKey(query)
    this.#index = index
    this.#wanted = codesOf(key)
    this.mask = maskOf(this.#wanted)
    this.#pairs = pairMaskOf(this.#wanted)
    this.#restMasks = Int32Array.from({ length: key.length + 1 }, (_, at) => maskOf(this.#wanted, at))
    this.#head = key.lastIndexOf('/', key.length - 2) + 1
    const folders = index.folderStarts.length
    this.#known = new Uint8Array(folders)
    this.#letters = new Uint16Array(folders)
    this.#gaps = new Uint16Array(folders)
    const { nameMasks, pathMasks } = index
    this.tiers = [
      { masks: nameMasks, fewest: 0, gaps: (at) => this.#nameBegins(at, 0) },
      { masks: nameMasks, fewest: 0, gaps: (at) => this.#nameHas(at) },
      { masks: pathMasks, fewest: 0, gaps: (at) => this.#pathHas(at) },
      { masks: nameMasks, fewest: 1, gaps: (at) => this.#nameGaps(at, 0, 0, false) },
      { masks: pathMasks, fewest: 1, gaps: (at) => this.#pathGaps(at) },
    ]
  }

  #nameBegins(at: number, next: number): number {
    const { nameStarts } = this.#index
    return this.#stands(nameStarts[at] ?? 0, nameStarts[at + 1] ?? 0, next) ? 0 : -1
  }

  #nameHas(at: number): number {
    const { namePairs, nameStarts } = this.#index
    if (((namePairs[at] ?? 0) & this.#pairs) !== this.#pairs) return -1
    return this.#isWithin(nameStarts[at] ?? 0, nameStarts[at + 1] ?? 0) ? 0 : -1
  }

  #pathHas(at: number): number {
    const known = this.#lookAt(this.#index.folderOf[at] ?? 0)
    if ((known & hasAll) !== 0) return 0
    return (known & endsWithHead) === 0 ? -1 : this.#nameBegins(at, this.#head)
  }

  #pathGaps(at: number): number {
    const { folderOf, nameMasks } = this.#index
    const folder = folderOf[at] ?? 0
    const known = this.#lookAt(folder)
    const letters = this.#letters[folder] ?? 0
    const rest = this.#restMasks[letters] ?? 0
    if (((nameMasks[at] ?? 0) & rest) !== rest) return -1
    return this.#nameGaps(at, letters, this.#gaps[folder] ?? 0, (known & endsInGap) !== 0)
  }

  /** Returns the gaps of the whole path; `letters` and `gaps` are those of its folder, before the name. */
  #nameGaps(at: number, letters: number, gaps: number, isGap: boolean): number {
    const { nameStarts } = this.#index
    this.#follow(nameStarts[at] ?? 0, nameStarts[at + 1] ?? 0, letters, gaps, isGap)
    return this.#reached.letters === this.#wanted.length ? this.#reached.gaps : -1
  }

  #lookAt(folder: number): number {
    const before = this.#known[folder] ?? 0
    return before === 0 ? this.#assessNew(folder) : before
  }

  #assessNew(folder: number): number {
    const { folderStarts } = this.#index
    const from = folderStarts[folder] ?? 0
    const to = folderStarts[folder + 1] ?? 0
    this.#follow(from, to, 0, 0, false)
    const { letters, gaps, isGap } = this.#reached
    this.#letters[folder] = letters
    this.#gaps[folder] = gaps
    let known = looked
    if (isGap) known |= endsInGap
    if (letters === this.#wanted.length && this.#isWithin(from, to)) known |= hasAll
    const head = this.#head
    if (head > 0 && to - from >= head && this.#stands(to - head, to, 0, head)) known |= endsWithHead
    this.#known[folder] = known
    return known
  }

  /** Looks for the query's letters in order, with others between them; stores in `#reached` how far it came. */
  #follow(from: number, to: number, lettersBefore: number, gapsBefore: number, isGapBefore: boolean): void {
    const { codes } = this.#index
    const wanted = this.#wanted
    let letters = lettersBefore
    let gaps = gapsBefore
    let isGap = isGapBefore
    for (let place = from; place < to && letters < wanted.length; place++) {
      if (codes[place] === wanted[letters]) {
        letters += 1
        if (isGap) gaps += 1
        isGap = false
      } else isGap = letters > 0
    }
    this.#reached.letters = letters
    this.#reached.gaps = gaps
    this.#reached.isGap = isGap
  }

  #isWithin(from: number, to: number): boolean {
    const { codes } = this.#index
    const first = this.#wanted[0]
    const last = to - this.#wanted.length
    for (let place = from; place <= last; place++)
      if (codes[place] === first && this.#stands(place, to, 0)) return true
    return false
  }

  /** Returns whether the query, or its part from `next` up to `end`, is at this position. */
  #stands(from: number, to: number, next: number, end = this.#wanted.length): boolean {
    const { codes } = this.#index
    const wanted = this.#wanted
    if (to - from < end - next) return false
    for (let at = next; at < end; at++) if (codes[from + at - next] !== wanted[at]) return false
    return true
  }
}
