import { countGraphemes } from '../graphemes.ts'
import { isWhiteSpace } from '../white-space.ts'
import { readManuscript } from './manuscript-marks.ts'
import { withoutRuby } from './ruby.ts'

/**
 * The length of a manuscript.
 *
 * Units: `characters` are graphemes without white space, comments, `@` commands, readings and signs of ruby, as
 * the sites for web novels count. `words` are those of scripts that separate words. `rows` are lines of a sheet of
 * 20 × 20 cells, spaces and empty lines included.
 */
export type TextCount = { characters: number; words: number; rows: number }

export const noCount: TextCount = { characters: 0, words: 0, rows: 0 }

const rowCells = 20
const pageRows = 20
const word =
  /[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]](?:['’\-]?[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]])*/gv

/** Counts a whole manuscript. A million characters of plain text take some tens of milliseconds. */
export function countText(source: string): TextCount {
  return countLines(withoutMarks(source))
}

/** Counts the characters alone; see `TextCount`. */
export function countCharacters(source: string): number {
  return countText(source).characters
}

/** Counts lines in which no comment or command is left. */
export function countLines(text: string): TextCount {
  let total = noCount
  for (let from = 0; from <= text.length; ) {
    const lineEnd = text.indexOf('\n', from)
    const to = lineEnd < 0 ? text.length : lineEnd
    total = addCounts(total, countLine(text.slice(from, to)))
    from = to + 1
  }
  return total
}

/** The count of a line. `cells`: cells of a sheet, spaces included. */
export type LineCount = TextCount & { cells: number }

/** Counts one line without its end. */
export function countLine(line: string): LineCount {
  const shown = withoutRuby(line.endsWith('\r') ? line.slice(0, -1) : line)
  if (shown === '') return { characters: 0, words: 0, rows: 1, cells: 0 }
  const cells = countGraphemes(shown)
  let spaces = 0
  let hasWords = false
  for (let i = 0; i < shown.length; i++) {
    const unit = shown.charCodeAt(i)
    if (isWhiteSpace(unit)) spaces++
    else hasWords ||= unit < 0x3000 || unit > 0xff00
  }
  const words = hasWords ? (shown.match(word)?.length ?? 0) : 0
  return { characters: cells - spaces, words, rows: rowsOf(cells), cells }
}

/** Returns the count of a line with `characters` more (or, if negative, fewer) Japanese characters, no spaces. */
export function lineWith(line: LineCount, characters: number): LineCount {
  const cells = line.cells + characters
  return { characters: line.characters + characters, words: line.words, rows: rowsOf(cells), cells }
}

function rowsOf(cells: number): number {
  return Math.max(1, Math.ceil(cells / rowCells))
}

/** Returns `a` plus `b`, or minus `b` with `sign` −1. */
export function addCounts(a: TextCount, b: TextCount, sign: 1 | -1 = 1): TextCount {
  return {
    characters: a.characters + sign * b.characters,
    words: a.words + sign * b.words,
    rows: a.rows + sign * b.rows,
  }
}

/** Returns the number of sheets of 400 characters; an empty text fills none. */
export function pagesOf({ characters, rows }: TextCount): number {
  return characters === 0 ? 0 : Math.ceil(rows / pageRows)
}

/** Returns the text without comments and commands. */
export function withoutMarks(source: string): string {
  if (!source.includes('@')) return source
  let text = ''
  let at = 0
  for (const { from, to, kind } of readManuscript(source).marks) {
    if (kind === 'outside') continue
    text += source.slice(at, from)
    at = to
  }
  return text + source.slice(at)
}
