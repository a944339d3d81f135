import { settleDice } from '../../shared/text/manuscript/dice.ts'
import { readerText } from '../../shared/text/manuscript/manuscript-marks.ts'
import { type NotationPiece, readNotation } from '../../shared/text/manuscript/notation.ts'
import { isBlank } from '../../shared/text/white-space.ts'

/** A chapter to publish. Shape: `text` is the manuscript's source; `title` may be empty. */
export type Chapter = { title: string; text: string }

/** A book to be written. `language` is a BCP 47 tag. */
export type Book = { title: string; author: string; language: string; chapters: readonly Chapter[] }

/** Returns the lines of a chapter, each as its pieces; a blank line has none. Leaves out blank lines at both ends. */
export function linesOf(
  { text }: Chapter,
  dice: Readonly<Record<string, string>>,
): (readonly NotationPiece[])[] {
  const lines = settleDice(readerText(text), dice).split('\n')
  while (lines.length > 0 && isBlank(lines[0] ?? '')) lines.shift()
  while (lines.length > 0 && isBlank(lines.at(-1) ?? '')) lines.pop()
  return lines.map((line) => (isBlank(line) ? [] : readNotation(line)))
}

/** Escapes text for XML and leaves out what XML 1.0 cannot hold. */
export function xmlText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are no characters of XML
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/\p{Surrogate}/gu, '')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  )
}
