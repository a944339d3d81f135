import { splitSentences } from '../../shared/text/sentences.ts'
import { termsOf } from './terms.ts'

/** A line that is not blank, or a piece of a long one. Units: `line` from 1; half-open UTF-16 ranges over LF. */
type Line = { line: number; from: number; to: number; text: string }

/**
 * One file, indexed for questions. Shape: `places` has, by term, the index of each line that holds it, ascending;
 * `pages` has the page of each line, from 0.
 */
export type IndexedFile = { path: string; lines: Line[]; places: Map<string, number[]>; pages: number[] }

/**
 * Text in which a term counts once towards how common it is. Counted by lines, a name that stands once on every page
 * seems rare. Units: UTF-16.
 */
const pageChars = 1_500
/** Length above which a line is split into pieces that count as lines. Units: UTF-16. */
const longLine = 1_000
/** Text that is indexed between two pauses, in which the host can serve other requests. Units: UTF-16. */
const charsPerSlice = 20_000

/** Indexes a file's text, in slices. */
export async function indexFile(path: string, text: string): Promise<IndexedFile> {
  const file: IndexedFile = { path, lines: [], places: new Map(), pages: [] }
  let pageFrom = 0
  let from = 0
  let pausedAt = 0
  for (const [index, line] of text.split('\n').entries()) {
    for (const piece of piecesOf(line)) {
      const to = from + piece.length
      if (piece.trim() !== '') {
        const isNextPage = from - pageFrom >= pageChars
        if (isNextPage) pageFrom = from
        addLine(file, { line: index + 1, from, to, text: piece }, isNextPage)
      }
      from = to
      if (from - pausedAt < charsPerSlice) continue
      pausedAt = from
      await new Promise((next) => setImmediate(next))
    }
    from += 1
  }
  return file
}

/** Yields the line itself, or pieces of a long one: whole sentences where one ends within the limit. */
function* piecesOf(line: string): Generator<string> {
  let from = 0
  while (line.length - from > longLine) {
    const part = line.slice(from, from + longLine)
    const sentencesTo = splitSentences(part).at(-1)?.from ?? 0
    // A surrogate pair stays whole.
    const length = sentencesTo > 0 ? sentencesTo : /[\ud800-\udbff]$/.test(part) ? longLine - 1 : longLine
    yield part.slice(0, length)
    from += length
  }
  yield line.slice(from)
}

function addLine({ lines, places, pages }: IndexedFile, line: Line, isNextPage: boolean): void {
  for (const term of termsOf(line.text)) {
    const known = places.get(term)
    if (known === undefined) places.set(term, [lines.length])
    else known.push(lines.length)
  }
  lines.push(line)
  pages.push((pages.at(-1) ?? 0) + (isNextPage ? 1 : 0))
}

/** Returns the number of pages of a work. */
export function pageCount(files: readonly IndexedFile[]): number {
  return files.reduce((sum, { pages }) => sum + (pages.at(-1) ?? -1) + 1, 0)
}

/** Returns how much a term tells about a place if so many of the pages have it. */
export function rarity(having: number, total: number): number {
  return Math.log(1 + (total - having + 0.5) / (having + 0.5))
}

/** Returns how much each term tells about a place. */
export function raritiesOf(terms: Iterable<string>, files: readonly IndexedFile[]): Map<string, number> {
  const total = pageCount(files)
  return new Map(
    [...terms].map((term) => {
      const having = files.reduce(
        (sum, { places, pages }) => sum + new Set((places.get(term) ?? []).map((at) => pages[at])).size,
        0,
      )
      return [term, rarity(having, total)]
    }),
  )
}
