import { readManuscript } from './manuscript-marks.ts'

/**
 * Returns a manuscript without comments and range commands, which are for the author alone. Text that such a command
 * excludes is still for readers. A line that held nothing else is removed.
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

/** Returns the position after the mark, and after the line end where the mark was alone in its line. */
function endOfHidden(source: string, before: string, to: number): number {
  const isLineStart = before === '' || before.endsWith('\n')
  if (!isLineStart) return to
  if (source[to] === '\n') return to + 1
  return to
}
