import './context-bar.css'
import './meter.css'
import type { ReactNode } from 'react'

export type BarPart = {
  id: string
  label: string
  amount: number
  colour: 'info' | 'body' | 'seam' | 'ink' | 'ink2'
}

type ContextBarProps = {
  /** The used and the total amount, in words. */
  figures: ReactNode
  /** Text beside the figures where they are not exact; null where they are. */
  estimate: string | null
  parts: readonly BarPart[]
  total: number
  /** Further text below, such as how much of the context need not be read again. */
  children?: ReactNode
}

/** Shows how a model's context is used: figures, a bar, and its parts in words. */
export function ContextBar({ figures, estimate, parts, total, children }: ContextBarProps) {
  return (
    <div className="context-bar">
      <p className="context-bar-figures">
        {figures}
        {estimate !== null && <span className="context-bar-estimate">{estimate}</span>}
      </p>
      <StackedBar parts={parts} total={total} />
      <ul className="context-bar-legend">
        {parts.map((part) => (
          <li key={part.id}>
            <i aria-hidden="true" style={{ background: `var(--${part.colour})` }} />
            {part.label}
          </li>
        ))}
      </ul>
      {children}
    </div>
  )
}

/** Parts of a whole side by side; each part is also named in words beside it. */
function StackedBar({ parts, total }: Pick<ContextBarProps, 'parts' | 'total'>) {
  const label = parts.map((part) => part.label).join(' · ')
  return (
    <div className="stacked-bar" role="img" aria-label={label}>
      {parts.map((part) => (
        <i
          key={part.id}
          title={part.label}
          style={{
            width: `${(100 * part.amount) / Math.max(total, 1)}%`,
            background: `var(--${part.colour})`,
          }}
        />
      ))}
    </div>
  )
}
