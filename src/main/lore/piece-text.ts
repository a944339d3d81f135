import { readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'

/** Returns the source with spaces for what never reaches a model, so that positions stay. */
export function withoutMarks(source: string): string {
  let text = ''
  let at = 0
  for (const { from, to } of readManuscript(source).marks) {
    if (to <= at) continue
    const start = Math.max(at, from)
    text += source.slice(at, start) + source.slice(start, to).replace(/[^\n]/g, ' ')
    at = to
  }
  return text + source.slice(at)
}

/** Cuts a text into pieces of at most `limitChars`, at line ends where there is one. Units: UTF-16. */
export function pieceText(text: string, limitChars: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + limitChars)
    if (to < text.length) {
      const lineEnd = text.lastIndexOf('\n', to - 1) + 1
      if (lineEnd > from) to = lineEnd
      // A surrogate pair stays whole.
      else if (/[\ud800-\udbff]/.test(text[to - 1] ?? '') && to - 1 > from) to -= 1
    }
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces.filter((piece) => piece.trim() !== '')
}
