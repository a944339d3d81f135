import { type ReactNode, useState } from 'react'
import { Icon } from '../icon.tsx'
import { Pieces } from '../verbatim.tsx'
import './folded-file.css'

type FoldedFileProps = {
  path: string
  /** The changes of the file besides its text, as short words. */
  facts: readonly string[]
  isOpenAtFirst?: boolean
  /** Shown in place of the content while the file is closed. */
  closedNote?: ReactNode
  children: ReactNode
}

/** A file that would change, in one line that opens to what changes in it. */
export function FoldedFile({ path, facts, isOpenAtFirst = false, closedNote, children }: FoldedFileProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  return (
    <div className="folded-file">
      <button
        type="button"
        className="folded-file-head"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'chevron'} size={14} />
        <span className="grow folded-file-path">
          <Pieces text={path} />
        </span>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </button>
      {isOpen ? children : closedNote}
    </div>
  )
}
