import type { TransferMode } from '../../domain/drafting/draft-settings.ts'

/**
 * Returns the position and the form of a text that the author transfers by hand. A new line comes after the caret's
 * line, after `blankLines` blank ones.
 *
 * Units: UTF-16 positions of `document`.
 * Source: `docs/decisions/drafting.md`, "Generating": transfer by hand.
 */
export function transferText(
  document: string,
  caret: number,
  text: string,
  { mode, blankLines }: { mode: TransferMode; blankLines: number },
): { at: number; insert: string } {
  const found = document.indexOf('\n', caret)
  const lineEnd = found < 0 ? document.length : found
  const isOnNewLine = mode === 'next_line_always' || (mode === 'next_line_eol' && caret === lineEnd)
  if (!isOnNewLine) return { at: caret, insert: text }
  return { at: lineEnd, insert: '\n'.repeat(1 + blankLines) + text }
}
