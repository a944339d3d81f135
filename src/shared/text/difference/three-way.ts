import { diffHunks, type Hunk, linesOf } from './hunks.ts'

/** The lines that a place of a three-way comparison gets. `both`: the current ones, then the speculated ones. */
export type Side = 'speculated' | 'current' | 'both'

/**
 * A stretch of three texts side by side, in their order.
 *
 * Shape: `same`: neither side changed it. `change`: at least one did; `side` is the one whose lines it gets, null where
 * both changed it differently and the user has to decide. `index` counts the changes. Lines carry their line end, as
 * those of a `Hunk` do.
 */
export type Chunk =
  | { kind: 'same'; lines: string[] }
  | {
      kind: 'change'
      index: number
      side: 'speculated' | 'current' | null
      base: string[]
      speculated: string[]
      current: string[]
    }

/** Compares three texts. Adjacent changes are one place: a line right beside another change may depend on it. */
export function threeWayChunks(base: string, speculated: string, current: string): Chunk[] {
  const baseLines = linesOf(base)
  const chunks: Chunk[] = []
  let at = 0
  let index = 0
  for (const place of placesOf(diffHunks(base, speculated), diffHunks(base, current))) {
    if (place.from > at) chunks.push({ kind: 'same', lines: baseLines.slice(at, place.from) })
    at = place.to
    const lines = {
      base: baseLines.slice(place.from, place.to),
      speculated: linesIn(place, place.speculated, baseLines),
      current: linesIn(place, place.current, baseLines),
    }
    chunks.push({ kind: 'change', index, side: sideOf(place, lines), ...lines })
    index += 1
  }
  if (at < baseLines.length) chunks.push({ kind: 'same', lines: baseLines.slice(at) })
  return chunks
}

/** Returns the indexes of the changes that are not decided yet. */
export function openChanges(chunks: readonly Chunk[], decided: ReadonlyMap<number, Side>): number[] {
  return chunks.flatMap((chunk) =>
    chunk.kind === 'change' && chunk.side === null && !decided.has(chunk.index) ? chunk.index : [],
  )
}

/**
 * Returns the text that results from the decisions. A decision also overrules a change that merges automatically: with
 * every change `speculated`, or `current`, the result is exactly that text.
 *
 * Shape: null as long as a change is not decided. A last line without a line end that other lines follow gets `lineEnd`.
 */
export function mergedText(
  chunks: readonly Chunk[],
  decided: ReadonlyMap<number, Side>,
  lineEnd = lineEndOf(chunks.flatMap(linesOfChunk)),
): string | null {
  const lines: string[] = []
  for (const chunk of chunks) {
    const side = chunk.kind === 'same' ? null : (decided.get(chunk.index) ?? chunk.side)
    if (chunk.kind === 'same') pushLines(lines, chunk.lines, lineEnd)
    else if (side === null) return null
    else {
      if (side !== 'speculated') pushLines(lines, chunk.current, lineEnd)
      if (side !== 'current') pushLines(lines, chunk.speculated, lineEnd)
    }
  }
  return lines.join('')
}

/** Returns the first line end of some lines or texts; LF where there is none. */
export function lineEndOf(texts: readonly string[]): '\n' | '\r\n' {
  const first = texts.find((text) => text.includes('\n')) ?? ''
  return first[first.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n'
}

function linesOfChunk(chunk: Chunk): readonly string[] {
  return chunk.kind === 'same' ? chunk.lines : [...chunk.current, ...chunk.speculated, ...chunk.base]
}

type Place = { from: number; to: number; speculated: Hunk[]; current: Hunk[] }

/** Returns the places where either text differs from the base. Units: lines of the base from 0, half-open. */
function placesOf(speculated: readonly Hunk[], current: readonly Hunk[]): Place[] {
  const all = [
    ...speculated.map((hunk) => ({ hunk, side: 'speculated' as const })),
    ...current.map((hunk) => ({ hunk, side: 'current' as const })),
  ].sort((one, other) => one.hunk.oldFrom - other.hunk.oldFrom)
  const places: Place[] = []
  for (const { hunk, side } of all) {
    const from = hunk.oldFrom - 1
    const to = from + hunk.oldLines.length
    let place = places.at(-1)
    if (place === undefined || from > place.to) {
      place = { from, to, speculated: [], current: [] }
      places.push(place)
    }
    place.to = Math.max(place.to, to)
    place[side].push(hunk)
  }
  return places
}

/** Returns one side's lines of a place: its hunks, and the lines of the base between them. */
function linesIn({ from, to }: Place, hunks: readonly Hunk[], base: readonly string[]): string[] {
  const lines: string[][] = []
  let at = from
  for (const hunk of hunks) {
    lines.push(base.slice(at, hunk.oldFrom - 1), hunk.newLines)
    at = hunk.oldFrom - 1 + hunk.oldLines.length
  }
  lines.push(base.slice(at, to))
  return lines.flat()
}

function sideOf(
  place: Place,
  lines: { speculated: readonly string[]; current: readonly string[] },
): 'speculated' | 'current' | null {
  if (place.current.length === 0) return 'speculated'
  if (place.speculated.length === 0) return 'current'
  return lines.speculated.join('') === lines.current.join('') ? 'current' : null
}

/** Appends lines; a last line without a line end gets one first. */
function pushLines(lines: string[], more: readonly string[], lineEnd: string): void {
  if (more.length === 0) return
  const last = lines.at(-1)
  if (last !== undefined && !last.endsWith('\n')) lines[lines.length - 1] = last + lineEnd
  for (const line of more) lines.push(line)
}
