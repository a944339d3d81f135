import { type CodePiece, loadHighlighter } from './code-highlight.ts'

/** Units: UTF-16 units. */
const longestColoured = 200_000

/**
 * Returns the lines of a text in the colours of its language; null where the file's name does not tell the language, or
 * the text is too long to be coloured while the user waits. Languages are loaded as they are needed.
 */
export async function colourLines(text: string, path: string): Promise<CodePiece[][] | null> {
  if (text.length > longestColoured) return null
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
