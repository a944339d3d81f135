import './marked-text.css'
import type { ComparedPiece } from '../../../shared/text/difference/word-difference.ts'

type MarkedTextProps = {
  text: string
  /** Absent: nothing is marked. */
  pieces: readonly ComparedPiece[] | undefined
  /** Said before each marked word. */
  onlyHere: string
}

/** A text of which the words that another one lacks are marked. */
export function MarkedText({ text, pieces, onlyHere }: MarkedTextProps) {
  return (
    <p className="compare-text serif">
      {pieces?.map((piece, index) =>
        piece.isOnlyHere ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are made anew with each text
          <mark key={index} className="compare-only">
            <span className="visually-hidden">{onlyHere}</span>
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      ) ?? text}
    </p>
  )
}
