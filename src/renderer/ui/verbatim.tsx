import './verbatim.css'
import { visiblePieces } from '../../shared/text/visible-characters.ts'

type VerbatimProps = {
  text: string
  /** Shown in the order in which it is run: no script turns letters around. */
  isCommand?: boolean
}

/** A text just as it is; what could not be seen, or would turn the rest around, stands there as its code. */
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
