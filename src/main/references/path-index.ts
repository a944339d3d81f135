import type { ReferenceCandidate } from '../../shared/domain/file-reference.ts'

/** Files and folders as they are searched, in the order of their paths. */
export type PathIndex = {
  readonly paths: readonly string[]
  /** As they are compared: without regard to width and case. */
  readonly keys: readonly string[]
  /** Where the name begins in a key. */
  readonly names: Int32Array
  /** Which characters a key has, by a hash of 32 bits. */
  readonly masks: Int32Array
}

/** How well a path fits, best first; a later property counts only among equals. */
const kinds = { inName: 0, inPath: 1, spreadInName: 2, spreadInPath: 3 }
/** Parts of one rank, so far apart that no part reaches into the next. */
const weight = { kind: 2 ** 34, gap: 2 ** 27, prefix: 2 ** 26, recency: 2 ** 14 }
const mostGaps = 60
const mostRecent = 2_000
const mostLength = 2 ** 14 - 1

export function indexPaths(files: readonly string[]): PathIndex {
  const folders = new Set<string>()
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  const paths = [...files, ...folders].sort()
  const keys = paths.map(searchKey)
  const names = new Int32Array(keys.length)
  const masks = new Int32Array(keys.length)
  for (const [index, key] of keys.entries()) {
    names[index] = key.lastIndexOf('/', key.length - 2) + 1
    masks[index] = maskOf(key)
  }
  return { paths, keys, names, masks }
}

/** As names are compared. */
export function searchKey(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/**
 * The best paths for a query: its letters together before letters apart, in the name before anywhere, then names
 * that begin with it, then what was used last, then the shorter.
 *
 * Shape: `recent` are paths of the index, last used first. Source: `../shared/spec/4-file-refs.md`, Completion.
 */
export function rankPaths(
  index: PathIndex,
  query: string,
  recent: readonly string[],
  limit: number,
): ReferenceCandidate[] {
  const wanted = searchKey(query)
  const { paths } = index
  const best = new BestOf(limit)
  const ranking = new Ranking(index, wanted, best)
  const used = new Set<number>()
  for (const [recency, path] of recent.slice(0, mostRecent).entries()) {
    const at = placeOf(paths, path)
    if (at < 0 || used.has(at)) continue
    ranking.together(at, recency)
    ranking.apart(at, recency)
    used.add(at)
  }
  for (let at = 0; at < paths.length; at++) if (!used.has(at)) ranking.together(at)
  if (!best.isFull) for (let at = 0; at < paths.length; at++) if (!used.has(at)) ranking.apart(at)
  return best.indexes().map((at) => {
    const path = paths[at] ?? ''
    return { path, kind: path.endsWith('/') ? 'folder' : 'file' }
  })
}

/** Ranks one path after the other for one query; it runs for each of very many at each keystroke. */
class Ranking {
  readonly #index: PathIndex
  readonly #wanted: string
  readonly #mask: number
  readonly #best: BestOf

  constructor(index: PathIndex, wanted: string, best: BestOf) {
    this.#index = index
    this.#wanted = wanted
    this.#mask = maskOf(wanted)
    this.#best = best
  }

  /** A path that has the letters together. */
  together(at: number, recency = mostRecent): void {
    const { keys, names, masks } = this.#index
    if (((masks[at] ?? 0) & this.#mask) !== this.#mask) return
    const key = keys[at] ?? ''
    const found = key.indexOf(this.#wanted)
    if (found < 0) return
    const name = names[at] ?? 0
    const isInName = found >= name || key.indexOf(this.#wanted, name) >= 0
    this.#add(at, key, (isInName ? kinds.inName : kinds.inPath) * weight.kind, recency)
  }

  /** A path that has them only in order, with others between them. */
  apart(at: number, recency = mostRecent): void {
    const { keys, names, masks } = this.#index
    if (((masks[at] ?? 0) & this.#mask) !== this.#mask) return
    const key = keys[at] ?? ''
    if (key.includes(this.#wanted)) return
    const inName = gapsIn(key, this.#wanted, names[at] ?? 0)
    const gaps = inName >= 0 ? inName : gapsIn(key, this.#wanted, 0)
    if (gaps <= 0) return
    const kind = inName >= 0 ? kinds.spreadInName : kinds.spreadInPath
    this.#add(at, key, kind * weight.kind + Math.min(gaps, mostGaps) * weight.gap, recency)
  }

  #add(at: number, key: string, fit: number, recency: number): void {
    const least = fit + recency * weight.recency + Math.min(key.length, mostLength)
    if (least >= this.#best.worst) return
    const isPrefix = key.startsWith(this.#wanted, this.#index.names[at])
    this.#best.add(at, isPrefix ? least : least + weight.prefix)
  }
}

/** Where a path stands in the sorted list; -1 where it does not. */
function placeOf(paths: readonly string[], path: string): number {
  let from = 0
  let to = paths.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((paths[middle] ?? '') < path) from = middle + 1
    else to = middle
  }
  return paths[from] === path ? from : -1
}

/** How often other letters stand between those of `wanted`; -1 where it is not in there. */
function gapsIn(key: string, wanted: string, from: number): number {
  let gaps = 0
  let last = -1
  for (let at = 0; at < wanted.length; at++) {
    const found = key.indexOf(wanted[at] ?? '', last < 0 ? from : last + 1)
    if (found < 0) return -1
    if (last >= 0 && found > last + 1) gaps += 1
    last = found
  }
  return gaps
}

function maskOf(key: string): number {
  let mask = 0
  for (let at = 0; at < key.length; at++) mask |= 1 << (key.charCodeAt(at) & 31)
  return mask
}

/** The lowest ranks so far, in order; of equals the first. */
class BestOf {
  readonly #limit: number
  readonly #found: { at: number; rank: number }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.#found.length >= this.#limit
  }

  /** No rank from here on is among the best. */
  get worst(): number {
    return this.isFull ? (this.#found.at(-1)?.rank ?? 0) : Number.POSITIVE_INFINITY
  }

  add(at: number, rank: number): void {
    if (rank >= this.worst) return
    if (this.isFull) this.#found.pop()
    let place = this.#found.length
    while (place > 0 && (this.#found[place - 1]?.rank ?? 0) > rank) place--
    this.#found.splice(place, 0, { at, rank })
  }

  indexes(): number[] {
    return this.#found.map(({ at }) => at)
  }
}
