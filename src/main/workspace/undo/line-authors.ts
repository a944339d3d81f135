import { diffHunks, linesOf } from '../../../shared/text/difference/hunks.ts'
import { commonEnds } from '../../../shared/text/difference/text-similarity.ts'
import { type Chunk, lineEndOf } from '../../../shared/text/difference/three-way.ts'

/** Who made a version of a file: the assistant, whose changes are taken back, or anybody else. */
export type Author = 'assistant' | 'user'

/** A version of a text and who made it out of the version before. */
export type TextVersion = { text: string; author: Author }

/**
 * One line of any version.
 *
 * Shape: `madeBy` null: the line was there at first. `goneBy` null: the line is in the last version. `unit` is the
 * assistant's change that made or removed the line. `isReply`: the user wrote or removed the line in the same place
 * where the user also removed lines of the assistant.
 */
type Line = {
  text: string
  madeBy: Author | null
  goneBy: Author | null
  unit: number | null
  isReply: boolean
}

/** Shape: `into` is the unit that this one became part of, when the assistant changed its own lines again. */
type Unit = { removed: number; made: number; into: number | null }

/** A replacement of up to this number of lines is decided as one; of a longer one, the lines that both changed. */
const limitUnitLines = 12
/** Maximum number of compared pairs of lines. Above it, removed lines count as replaced by the first new ones. */
const limitCompared = 1_000_000

/**
 * Compares the last version of a text with the one that the user alone would have made of `first`.
 *
 * Shape: as `threeWayChunks` gives them: `speculated` are the lines without the assistant's change, `current` those of
 * the last version, `base` those that the assistant wrote. `side` is null where the user changed what the assistant
 * wrote: then the user decides.
 */
export function withoutAssistant(first: string, versions: readonly TextVersion[]): Chunk[] {
  const units: Unit[] = []
  const untouched = { madeBy: null, goneBy: null, unit: null, isReply: false }
  let lines: Line[] = linesOf(first).map((text) => ({ text, ...untouched }))
  for (const { text, author } of versions) lines = advance(lines, linesOf(text), author, units)
  return chunksOf(lines, units, lineEndOf([first, ...versions.map(({ text }) => text)]))
}

function advance(lines: readonly Line[], next: readonly string[], author: Author, units: Unit[]): Line[] {
  const present = lines.filter(({ goneBy }) => goneBy === null)
  const hunks = diffHunks(plainText(present.map(({ text }) => text)), plainText(next))
  const result: Line[] = []
  let at = 0
  let presentAt = 0
  let nextAt = 0
  /** Copies lines up to the present line `until`, removed ones right before that line included. */
  const copyUntil = (until: number): void => {
    for (; at < lines.length; at += 1) {
      const line = lines[at] as Line
      if (line.goneBy !== null) result.push(line)
      else if (presentAt === until) return
      else {
        // Takes the line end from the newer version.
        result.push({ ...line, text: next[nextAt] ?? line.text })
        presentAt += 1
        nextAt += 1
      }
    }
  }
  for (const { oldFrom, oldLines, newLines } of hunks) {
    copyUntil(oldFrom - 1)
    const made = next.slice(nextAt, nextAt + newLines.length)
    const end = removedEnd(lines, at, oldLines.length)
    // Not push(…, ...lines): a long file would be too many arguments.
    for (const line of changed(lines.slice(at, end), made, author, units, result)) result.push(line)
    at = end
    presentAt += oldLines.length
    nextAt += newLines.length
  }
  copyUntil(present.length)
  return result
}

/** Returns the end of the next `count` present lines, without removed ones behind the last. */
function removedEnd(lines: readonly Line[], from: number, count: number): number {
  let end = from
  for (let left = count; left > 0; end += 1) if (lines[end]?.goneBy === null) left -= 1
  return end
}

function changed(
  old: readonly Line[],
  made: readonly string[],
  author: Author,
  units: Unit[],
  before: Line[],
): Line[] {
  const removed = old.filter(({ goneBy }) => goneBy === null)
  // As many lines as before: each one replaces its own.
  if (removed.length === made.length && removed.length > 1) {
    const pairs: Line[] = []
    let from = 0
    for (const text of made) {
      const to = removedEnd(old, from, 1)
      const lastBefore = pairs.length > 0 ? pairs.slice(-1) : before.slice(-1)
      for (const line of changed(old.slice(from, to), [text], author, units, lastBefore)) pairs.push(line)
      from = to
    }
    return pairs
  }
  // More lines than before: those that are most like the removed ones replace them, the others are new.
  if (author === 'user' && removed.length > 0 && made.length > removed.length) {
    const from = mostAlike(removed, made)
    const to = from + removed.length
    const own = made.map((text) => ({ text, madeBy: author, goneBy: null, unit: null, isReply: false }))
    // What the assistant removed here stays right before the lines that it wrote instead.
    const unit = removed[0]?.unit ?? null
    let gone = before.length
    while (gone > 0 && unit !== null && before[gone - 1]?.goneBy !== null && before[gone - 1]?.unit === unit)
      gone -= 1
    const former = before.splice(gone)
    const above = [...own.slice(0, from), ...former]
    return [...above, ...changed(old, made.slice(from, to), author, units, above), ...own.slice(to)]
  }
  if (author === 'assistant') {
    const unit = unitOf(removed, made.length, units)
    return [
      // A line that the assistant wrote keeps the unit of the change that wrote it.
      ...old.map((line) =>
        line.goneBy === null
          ? { ...line, goneBy: author, unit: line.madeBy === 'assistant' ? line.unit : unit }
          : line,
      ),
      ...made.map((text) => ({ text, madeBy: author, goneBy: null, unit, isReply: false })),
    ]
  }
  const answered =
    removed.find(({ madeBy, isReply }) => madeBy === 'assistant' || isReply) ?? removedBefore(before, units)
  const isReply = answered !== undefined && (removed.length > 0 || made.length > 0)
  const unit = answered?.unit ?? null
  return [
    ...old.map((line) =>
      line.goneBy === null
        ? { ...line, goneBy: author, isReply, unit: line.unit ?? (isReply ? unit : null) }
        : line,
    ),
    ...made.map((text) => ({ text, madeBy: author, goneBy: null, unit, isReply })),
  ]
}

/** Returns the change that new lines belong to: where they replace the assistant's lines, that of those. */
function unitOf(removed: readonly Line[], made: number, units: Unit[]): number {
  const others = removed.filter(({ madeBy }) => madeBy !== 'assistant').length
  const known = new Set(
    removed.flatMap(({ unit, madeBy, isReply }) =>
      unit !== null && (madeBy === 'assistant' || isReply) ? rootOf(unit, units) : [],
    ),
  )
  const [first, ...more] = known
  if (first === undefined) return units.push({ removed: others, made, into: null }) - 1
  const unit = units[first] as Unit
  unit.removed += others
  unit.made += made
  for (const other of more) {
    const joined = units[other] as Unit
    unit.removed += joined.removed
    unit.made += joined.made
    joined.into = first
  }
  return first
}

function rootOf(unit: number, units: readonly Unit[]): number {
  let root = unit
  for (let next = units[root]?.into ?? null; next !== null; next = units[root]?.into ?? null) root = next
  return root
}

/** Returns the index in `made` of the lines whose beginnings and ends have most in common with the removed ones. */
function mostAlike(removed: readonly Line[], made: readonly string[]): number {
  let best = { from: 0, common: -1 }
  if (removed.length * (made.length - removed.length + 1) > limitCompared) return best.from
  for (let from = 0; from <= made.length - removed.length; from += 1) {
    const common = removed.reduce((sum, { text }, at) => {
      const { head, tail } = commonEnds(text, made[from + at] ?? '')
      return sum + head + tail
    }, 0)
    if (common > best.common) best = { from, common }
  }
  return best.from
}

/** Returns the assistant's short deletion right before this point, which the user's text may replace. */
function removedBefore(before: readonly Line[], units: readonly Unit[]): Line | undefined {
  const line = before.at(-1)
  if (line?.goneBy !== 'assistant' || line.unit === null || line.madeBy === 'assistant') return undefined
  const unit = units[rootOf(line.unit, units)]
  return unit?.made === 0 && unit.removed <= limitUnitLines ? line : undefined
}

function chunksOf(lines: readonly Line[], units: readonly Unit[], lineEnd: string): Chunk[] {
  const unitOfLine = ({ unit }: Line): number | null => (unit === null ? null : rootOf(unit, units))
  const asked = new Set(lines.flatMap((line) => (isAsked(line) ? unitOfLine(line) : null) ?? []))
  const isWhole = (unit: number | null): boolean => {
    const of = unit === null ? undefined : units[unit]
    return of !== undefined && of.removed > 0 && of.removed <= limitUnitLines && of.made <= limitUnitLines
  }
  const chunks: Chunk[] = []
  let place: { isAsked: boolean; lines: Line[] } | null = null
  let index = 0
  const close = (): void => {
    if (place === null) return
    const of = place.lines
    // A line that was the last one in between may have no line end.
    const texts = (wanted: (line: Line) => boolean): string[] =>
      of
        .filter(wanted)
        .map(({ text }, at, all) => (at === all.length - 1 || text.endsWith('\n') ? text : text + lineEnd))
    const current = texts(({ goneBy }) => goneBy === null)
    const speculated = texts(isInFormer)
    const base = texts(({ madeBy }) => madeBy === 'assistant')
    const isSame = plainText(current) === plainText(speculated)
    const side = isSame ? 'current' : place.isAsked ? null : 'speculated'
    chunks.push({ kind: 'change', index, side, base, speculated, current })
    index += 1
    place = null
  }
  for (const line of lines) {
    if (isGoneForAll(line)) continue
    if (isKept(line)) {
      close()
      const last = chunks.at(-1)
      if (last?.kind === 'same') last.lines.push(line.text)
      else chunks.push({ kind: 'same', lines: [line.text] })
      continue
    }
    const unit = unitOfLine(line)
    const isOfAsked = isAsked(line) || (unit !== null && asked.has(unit) && isWhole(unit))
    if (place !== null && place.isAsked !== isOfAsked) close()
    place ??= { isAsked: isOfAsked, lines: [] }
    place.lines.push(line)
  }
  close()
  return chunks
}

/** True for a line of the last version that the assistant neither wrote nor changed. */
function isKept({ madeBy, goneBy, isReply }: Line): boolean {
  return goneBy === null && madeBy !== 'assistant' && !isReply
}

/** True where the author of the line removed it, or the user removed it independently of the assistant's lines. */
function isGoneForAll({ madeBy, goneBy, isReply }: Line): boolean {
  if (goneBy === null) return false
  return goneBy === 'user' ? madeBy !== 'assistant' && !(isReply && madeBy === null) : madeBy === 'assistant'
}

function isAsked({ madeBy, goneBy, isReply }: Line): boolean {
  return isReply || (madeBy === 'assistant' && goneBy === 'user')
}

/** True for a line that stood here before the assistant's change, or that the user wrote and the assistant removed. */
function isInFormer({ madeBy, goneBy, isReply }: Line): boolean {
  if (madeBy === 'assistant') return false
  if (goneBy === 'assistant') return true
  return madeBy === null ? goneBy === null || isReply : goneBy === null && !isReply
}

/** Returns the lines without their line ends, so that a change of those changes no line. */
function plainText(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(/\r?\n$/, '')}\n`).join('')
}
