import { useEffect, useState } from 'react'
import { type CodePiece, colourLines } from '../editor/code-highlight.ts'

/** Returns the lines of a text in the colours of the file's language once they are there; null until then. */
export function useCodeColours(text: string | null, path: string): CodePiece[][] | null {
  const [coloured, setColoured] = useState<{ text: string; lines: CodePiece[][] | null } | null>(null)
  useEffect(() => {
    if (text === null) return
    let isWanted = true
    colourLines(text, path).then(
      (lines) => isWanted && setColoured({ text, lines }),
      // A language that cannot be loaded leaves the text plain; it is all there.
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [text, path])
  return coloured !== null && coloured.text === text ? coloured.lines : null
}
