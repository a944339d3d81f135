import { LanguageDescription } from '@codemirror/language'
import { classHighlighter, highlightCode } from '@lezer/highlight'

/** A stretch of a line with its classes (`tok-keyword`); empty where it is plain. */
export type ColouredPiece = { text: string; className: string }

/** Longer texts stay plain: colouring them would hold the window up. Units: UTF-16 units. */
const longestColoured = 200_000

/**
 * The lines of a text in the colours of its language; null where the language is not known by the file's name,
 * or the text is too long. Languages are loaded as they are needed.
 */
export async function colourLines(text: string, path: string): Promise<ColouredPiece[][] | null> {
  if (text.length > longestColoured) return null
  const { languages } = await import('@codemirror/language-data')
  const name = path.slice(path.lastIndexOf('/') + 1)
  const description = LanguageDescription.matchFilename(languages, name)
  if (description === null) return null
  const { language } = await description.load()
  const lines: ColouredPiece[][] = [[]]
  highlightCode(
    text,
    language.parser.parse(text),
    classHighlighter,
    (piece, className) => lines.at(-1)?.push({ text: piece, className }),
    () => lines.push([]),
  )
  return lines
}
