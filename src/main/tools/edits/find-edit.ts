import { isBlank, isWhiteSpace, trimWhere } from '../../../shared/text/white-space.ts'

/** A range of a text and its replacement. Units: UTF-16 code units. */
type EditPlace = { from: number; to: number; insert: string }

/** Shape: `lines` are where the old text was found, from 1. */
export type EditFinding =
  | { kind: 'one'; place: EditPlace }
  | { kind: 'several'; lines: number[] }
  | { kind: 'none' }

/** Maximum number of places that are searched for and reported. */
const limitPlaces = 20

/**
 * Finds the one place that an edit means: exactly as written; else without the white space around it, which the
 * file must have there too; else line by line, with other white space.
 *
 * Shape: all texts with LF line ends. A method that finds several places ends the search: a looser one finds more.
 */
export function findEdit(text: string, oldText: string, newText: string): EditFinding {
  const exact = placesOf(text, oldText)
  if (exact.length > 0)
    return oneOf(text, exact, (from) => ({ from, to: from + oldText.length, insert: newText }))
  const lines = indexLines(text)
  const wanted = wantedLines(oldText)
  const trimmed = trimmedPlaces(text, oldText)
  if (trimmed.length > 0) {
    const core = trimWhere(oldText, isWhiteSpace)
    return oneOf(text, trimmed, (from) => {
      const first = lines.findLastIndex((line) => line.from <= from)
      const last = first + wanted.lines.length - 1
      const isWhole =
        isBlank(text.slice(lines[first]?.from, from)) &&
        isBlank(text.slice(from + core.length, lines[last]?.to))
      if (isWhole) return replaceLines(text, lines, first, wanted, newText)
      return { from, to: from + core.length, insert: trimmedAlike(oldText, newText) }
    })
  }
  const loose = loosePlaces(lines, wanted.lines)
  if (loose.length === 0) return { kind: 'none' }
  if (loose.length > 1) return { kind: 'several', lines: loose.map((line) => line + 1) }
  return { kind: 'one', place: replaceLines(text, lines, loose[0] ?? 0, wanted, newText) }
}

/** Returns a line as it is compared: trimmed, with every run of white space inside it as one space. */
function looseLine(line: string): string {
  return trimWhere(line, isWhiteSpace).replace(/[\s\u0085]+/g, ' ')
}

function oneOf(text: string, places: number[], make: (from: number) => EditPlace): EditFinding {
  const [from = 0, ...others] = places
  if (others.length === 0) return { kind: 'one', place: make(from) }
  return { kind: 'several', lines: places.map((place) => text.slice(0, place).split('\n').length) }
}

/** Returns all places that `isMeant` accepts, overlapping ones too: an edit could mean either of those. */
function placesOf(text: string, wanted: string, isMeant = (_at: number): boolean => true): number[] {
  const places: number[] = []
  if (wanted === '') return places
  for (
    let at = text.indexOf(wanted);
    at >= 0 && places.length < limitPlaces;
    at = text.indexOf(wanted, at + 1)
  )
    if (isMeant(at)) places.push(at)
  return places
}

/**
 * Returns the places of the trimmed text. On a side that was trimmed, the file must have white space or its end, so
 * that no word is cut in half.
 */
function trimmedPlaces(text: string, oldText: string): number[] {
  const core = trimWhere(oldText, isWhiteSpace)
  if (core === '' || core === oldText) return []
  const start = oldText.indexOf(core)
  const hasHead = start > 0
  const hasTail = start + core.length < oldText.length
  const isGap = (at: number): boolean => at < 0 || at >= text.length || isWhiteSpace(text.charCodeAt(at))
  // Checked for every place, not for the first ones alone: one of the others may be meant, or make it ambiguous.
  return placesOf(text, core, (at) => (!hasHead || isGap(at - 1)) && (!hasTail || isGap(at + core.length)))
}

/** Returns the new text, trimmed on the sides on which the old one was trimmed. */
function trimmedAlike(oldText: string, newText: string): string {
  const hasHead = isWhiteSpace(oldText.charCodeAt(0))
  const hasTail = isWhiteSpace(oldText.charCodeAt(oldText.length - 1))
  let from = 0
  let to = newText.length
  while (hasHead && from < to && isWhiteSpace(newText.charCodeAt(from))) from++
  while (hasTail && to > from && isWhiteSpace(newText.charCodeAt(to - 1))) to--
  return newText.slice(from, to)
}

type Line = { from: number; to: number; text: string }

function indexLines(text: string): Line[] {
  let from = 0
  return text.split('\n').map((line) => {
    const found = { from, to: from + line.length, text: line }
    from += line.length + 1
    return found
  })
}

/** Shape: blank lines at both ends are only counted. */
type WantedLines = { lines: string[]; blankHead: number; blankTail: number }

function wantedLines(text: string): WantedLines {
  const all = text.split('\n')
  const first = all.findIndex((line) => !isBlank(line))
  if (first < 0) return { lines: [], blankHead: all.length, blankTail: 0 }
  const last = all.findLastIndex((line) => !isBlank(line))
  return { lines: all.slice(first, last + 1), blankHead: first, blankTail: all.length - 1 - last }
}

function loosePlaces(lines: readonly Line[], wanted: readonly string[]): number[] {
  const places: number[] = []
  if (wanted.length === 0) return places
  const compared = wanted.map(looseLine)
  const found = lines.map((line) => looseLine(line.text))
  for (let at = 0; at + compared.length <= found.length && places.length < limitPlaces; at++) {
    if (compared.every((line, index) => line === found[at + index])) places.push(at)
  }
  return places
}

/** Replaces whole lines by whole lines, indented as in the file. */
function replaceLines(
  text: string,
  lines: readonly Line[],
  first: number,
  wanted: WantedLines,
  newText: string,
): EditPlace {
  const last = first + wanted.lines.length - 1
  const from = lines[first]?.from ?? 0
  const to = lines[last]?.to ?? text.length
  const fresh = newText.split('\n')
  for (let i = 0; i < wanted.blankHead && fresh.length > 0 && isBlank(fresh[0] ?? ''); i++) fresh.shift()
  for (let i = 0; i < wanted.blankTail && fresh.length > 0 && isBlank(fresh.at(-1) ?? ''); i++) fresh.pop()
  if (fresh.length === 0) {
    // One line end is removed with the lines.
    if (last + 1 < lines.length) return { from, to: to + 1, insert: '' }
    return { from: Math.max(0, from - 1), to, insert: '' }
  }
  const indents = new Map<string, string>()
  wanted.lines.forEach((line, index) => {
    if (isBlank(line) || indents.has(indentOf(line))) return
    indents.set(indentOf(line), indentOf(lines[first + index]?.text ?? ''))
  })
  const written = [...wanted.lines, ...fresh].filter((line) => !isBlank(line)).map(indentOf)
  const kept = lines.filter((line) => !isBlank(line.text)).map((line) => indentOf(line.text))
  const units = { written: unitOf(written), file: unitOf(kept) }
  return { from, to, insert: fresh.map((line) => reindent(line, indents, units)).join('\n') }
}

function indentOf(line: string): string {
  let end = 0
  while (end < line.length && isWhiteSpace(line.charCodeAt(end))) end++
  return line.slice(0, end)
}

/** Returns one level of indentation: a tab, or as many spaces as the greatest common divisor of the indents. */
function unitOf(indents: readonly string[]): string {
  const tabs = indents.filter((indent) => indent.includes('\t')).length
  const widths = indents.filter((indent) => /^ +$/.test(indent)).map((indent) => indent.length)
  if (tabs > widths.length || (tabs > 0 && widths.length === 0)) return '\t'
  const step = widths.reduce(commonDivisor, 0)
  return ' '.repeat(step > 1 ? step : 4)
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

/**
 * Replaces the longest known indent that a line begins with by the file's. The rest of the indent, or an unknown
 * indent, is converted level by level where it consists of whole units and the file uses another one: mixed indents
 * break programs.
 */
function reindent(
  line: string,
  indents: ReadonlyMap<string, string>,
  units: { written: string; file: string },
): string {
  if (isBlank(line)) return line
  const indent = indentOf(line)
  const rest = line.slice(indent.length)
  const isOther = units.written !== units.file && indent.replaceAll(units.written, '') === ''
  const levels = (text: string, unit: string): number => Math.round(text.length / unit.length)
  const known = [...indents].sort(([a], [b]) => b.length - a.length)
  const base = known.find(([one]) => indent.startsWith(one))
  if (base !== undefined) {
    const beyond = indent.slice(base[0].length)
    return base[1] + (isOther ? units.file.repeat(levels(beyond, units.written)) : beyond) + rest
  }
  const shallowest = known.at(-1)
  if (!isOther || shallowest === undefined) return line
  const shift = levels(indent, units.written) - levels(shallowest[0], units.written)
  return units.file.repeat(Math.max(0, levels(shallowest[1], units.file) + shift)) + rest
}

const limitLines = 50_000
/** Maximum number of compared lines: comparing blocks the host's thread, so a very long file is not compared whole. */
const limitCompared = 2_000
const limitShown = 12
const limitLineChars = 400
/** Least likeness of a line that is worth showing. Units: 0 … 1. */
const leastLikeness = 0.5

/**
 * Returns the lines of a text that are most like the wanted ones, as many as those; empty where no line is like them.
 * Units: lines from 1.
 */
export function nearestLines(text: string, wanted: string): { number: number; text: string }[] {
  const lines = text.split('\n')
  const sought = wanted.split('\n')
  const anchor = sought.reduce((best, line, at) => (weight(line) > weight(sought[best] ?? '') ? at : best), 0)
  const goal = pairsOf(sought[anchor] ?? '')
  let best = -1
  let likeness = leastLikeness
  let compared = 0
  for (let at = 0; at < Math.min(lines.length, limitLines); at++) {
    const line = looseLine((lines[at] ?? '').slice(0, limitLineChars))
    // Lines of very different length cannot be more alike: this check alone skips most lines.
    const most = (2 * Math.min(goal.size, line.length - 1)) / (goal.size + line.length - 1)
    if (!(most > likeness)) continue
    if (++compared > limitCompared) break
    const found = alike(goal, pairsOf(line))
    if (found <= likeness) continue
    best = at
    likeness = found
  }
  if (best < 0) return []
  const from = Math.max(0, best - Math.min(anchor, limitShown - 1))
  const to = Math.min(lines.length, from + Math.min(limitShown, Math.max(sought.length, best - from + 1)))
  return lines.slice(from, to).map((line, index) => ({ number: from + index + 1, text: line }))
}

function weight(line: string): number {
  return looseLine(line).length
}

type Pairs = { counts: Map<string, number>; size: number }

/** Counts the pairs of neighbouring characters. */
function pairsOf(line: string): Pairs {
  const plain = looseLine(line.slice(0, limitLineChars))
  const counts = new Map<string, number>()
  for (let at = 0; at + 1 < plain.length; at++) {
    const pair = plain.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return { counts, size: Math.max(0, plain.length - 1) }
}

/** Returns Dice's coefficient of two sets of letter pairs. Units: 0 … 1. */
function alike(a: Pairs, b: Pairs): number {
  if (a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const [pair, count] of a.counts) common += Math.min(count, b.counts.get(pair) ?? 0)
  return (2 * common) / (a.size + b.size)
}
