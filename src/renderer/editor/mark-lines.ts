import { type ChangeSet, type Range, RangeSet, RangeValue, type Text } from '@codemirror/state'
import { type ManuscriptMark, readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'

class MarkLine extends RangeValue {
  override eq(): boolean {
    return true
  }
}

const markLine = new MarkLine()

/** The lines that contain `@`, by their starts: nothing else can be or end a mark. */
export type MarkLines = RangeSet<MarkLine>

export function findMarkLines(doc: Text): MarkLines {
  return RangeSet.of(markLinesIn(doc, 0, doc.length))
}

/**
 * Follows the lines through a change; only the lines that it touches are looked at.
 *
 * `isTouched` says whether a line with `@` came, went or changed, so that the marks must be read anew.
 */
export function updateMarkLines(
  lines: MarkLines,
  changes: ChangeSet,
  doc: Text,
): { lines: MarkLines; isTouched: boolean } {
  let moved = lines.map(changes)
  let isTouched = false
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    const filterFrom = doc.lineAt(fromB).from
    const filterTo = doc.lineAt(toB).to
    const add = markLinesIn(doc, filterFrom, filterTo)
    let hasOld = false
    moved.between(filterFrom, filterTo, () => {
      hasOld = true
    })
    if (add.length === 0 && !hasOld) return
    isTouched = true
    moved = moved.update({ filterFrom, filterTo, filter: () => false, add })
  })
  return { lines: moved, isTouched }
}

/**
 * The marks of a document, read from the lines with `@` alone.
 *
 * Every stretch of other lines is read as one LF; what the marks say of that LF holds for the whole stretch.
 */
export function readMarks(doc: Text, lines: MarkLines): ManuscriptMark[] {
  const pieces: Piece[] = []
  let text = ''
  const addPiece = (from: number, to: number, shown: string) => {
    if (from === to) return
    pieces.push({ from, to, shownFrom: text.length, shownTo: text.length + shown.length })
    text += shown
  }
  let from = 0
  for (const cursor = lines.iter(); cursor.value; cursor.next()) {
    const line = doc.lineAt(cursor.from)
    const end = Math.min(line.to + 1, doc.length)
    addPiece(from, line.from, '\n')
    addPiece(line.from, end, doc.sliceString(line.from, end))
    from = end
  }
  if (pieces.length === 0) return []
  addPiece(from, doc.length, '\n')
  return readManuscript(text).marks.map((mark) => ({
    ...mark,
    from: inDocument(pieces, mark.from, false),
    to: inDocument(pieces, mark.to, true),
  }))
}

/** A stretch of the document and where it stands in what is read. */
type Piece = { from: number; to: number; shownFrom: number; shownTo: number }

function inDocument(pieces: readonly Piece[], position: number, isEnd: boolean): number {
  const piece = isEnd
    ? pieces.find(({ shownTo }) => position <= shownTo)
    : pieces.find(({ shownTo }) => position < shownTo)
  if (!piece) return pieces.at(-1)?.to ?? 0
  if (position === piece.shownTo) return piece.to
  return piece.from + position - piece.shownFrom
}

function markLinesIn(doc: Text, from: number, to: number): Range<MarkLine>[] {
  const found: Range<MarkLine>[] = []
  let at = from
  for (const text of doc.iterRange(from, to)) {
    if (text === '\n') at += 1
    else {
      if (text.includes('@')) {
        const start = doc.lineAt(at).from
        if (found.at(-1)?.from !== start) found.push(markLine.range(start))
      }
      at += text.length
    }
  }
  return found
}
