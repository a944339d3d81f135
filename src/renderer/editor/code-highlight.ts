import { LanguageDescription } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { classHighlighter, highlightCode } from '@lezer/highlight'

/** A run of characters of one kind. Shape: `className` is `tok-…` as `ui/code.css` colours it, or empty. */
export type CodePiece = { text: string; className: string }

export type CodeHighlighter = (code: string) => CodePiece[]

/** Longer code stays plain. Units: UTF-16 units. */
const longestCode = 200_000

/** Loads a language's highlighter by a fence's word or a path, once when first needed; null: none. */
export async function loadHighlighter(name: string, path: string | null): Promise<CodeHighlighter | null> {
  const description =
    (name === '' ? null : LanguageDescription.matchLanguageName(languages, name, false)) ??
    (path === null ? null : LanguageDescription.matchFilename(languages, path))
  if (!description) return null
  const { language } = await description.load()
  return (code) => {
    if (code.length > longestCode) return [{ text: code, className: '' }]
    const pieces: CodePiece[] = []
    const put = (text: string, className: string) => pieces.push({ text, className })
    highlightCode(code, language.parser.parse(code), classHighlighter, put, () => put('\n', ''))
    return pieces
  }
}

/**
 * Returns the lines of a text in the colours of its language; null where the file's name does not tell the language, or
 * the text is too long to be coloured while the user waits. Languages are loaded as they are needed.
 */
export async function colourLines(text: string, path: string): Promise<CodePiece[][] | null> {
  if (text.length > longestCode) return null
  const highlight = await loadHighlighter('', path.slice(path.lastIndexOf('/') + 1))
  if (highlight === null) return null
  const lines: CodePiece[][] = [[]]
  for (const { text: piece, className } of highlight(text)) {
    const [first = '', ...rest] = piece.split('\n')
    if (first !== '') lines.at(-1)?.push({ text: first, className })
    for (const line of rest) lines.push(line === '' ? [] : [{ text: line, className }])
  }
  return lines
}
