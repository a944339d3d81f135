import { normaliseLineEnds } from '../../../shared/text/line-ends.ts'
import { readManuscript, type Span } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { isBlank } from '../../../shared/text/white-space.ts'

/** A manuscript file as it stands in its document. */
export type BodyFile = { path: string; text: string }

/**
 * The part of the body from one file, before dice are rolled.
 *
 * Units: `kept` are UTF-16 positions of the file with LF line ends; `text` is those parts joined.
 */
export type BodyPiece = { path: string; text: string; kept: Span[] }

/**
 * Removes comments and what range commands exclude from the files of a body.
 *
 * `@endpoint` ends its own file only; a start command drops every file before its own.
 * Shape: the files in order, the open one last; blank pieces before it are dropped.
 */
export function readBody(files: readonly BodyFile[]): BodyPiece[] {
  let pieces: BodyPiece[] = []
  for (const [i, file] of files.entries()) {
    const { text, kept, hasStart } = readManuscript(normaliseLineEnds(file.text))
    if (hasStart) pieces = []
    if (i === files.length - 1 || !isBlank(text)) pieces.push({ path: file.path, text, kept })
  }
  return pieces
}

/** Returns where a span of a piece is in its file. Units: UTF-16 positions; comments inside it are included. */
export function sourceSpan(piece: BodyPiece, span: Span): Span {
  let at = 0
  let from: number | undefined
  for (const kept of piece.kept) {
    const end = at + kept.to - kept.from
    if (from === undefined && span.from < end) from = kept.from + span.from - at
    if (from !== undefined && span.to <= end) return { from, to: kept.from + span.to - at }
    at = end
  }
  const end = piece.kept.at(-1)?.to ?? 0
  return { from: from ?? end, to: end }
}
