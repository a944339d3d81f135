import { readManuscript } from './manuscript-marks.ts'

/**
 * A manuscript without what is the author's own: comments and range commands. Text that such a command shuts out is
 * for readers all the same. A line that held nothing else goes with it.
 *
 * Shape: LF line ends.
 */
export function readerText(source: string): string {
  const hidden = readManuscript(source).marks.filter(({ kind }) => kind !== 'outside')
  if (hidden.length === 0) return source
  let text = ''
  let at = 0
  for (const { from, to } of hidden) {
    text += source.slice(at, from)
    at = endOfHidden(source, text, to)
  }
  return text + source.slice(at)
}

/** Past the line end, where nothing but the mark stood in its line. */
function endOfHidden(source: string, before: string, to: number): number {
  const isLineStart = before === '' || before.endsWith('\n')
  if (!isLineStart) return to
  if (source[to] === '\n') return to + 1
  return to
}
