import './verbatim.css'
import { visiblePieces } from '../../shared/text/visible-characters.ts'

type VerbatimProps = {
  text: string
  /** A command is shown in the order in which it is run: no script reverses its letters. */
  isCommand?: boolean
}

/** A text just as it is; characters that are invisible or would reverse the rest are shown by their codes. */
export function Verbatim({ text, isCommand = false }: VerbatimProps) {
  return (
    <span className={isCommand ? 'verbatim verbatim-command' : 'verbatim'}>
      <Pieces text={text} />
    </span>
  )
}

/** The same without an element around it, for a piece of a line. */
export function Pieces({ text }: { text: string }) {
  return visiblePieces(text).map((piece, at) => {
    if (piece.kind === 'text') return piece.text
    const key = `mark-${at}`
    return (
      <span key={key} className="unseen">
        {piece.code}
      </span>
    )
  })
}
