import { useEffect, useState } from 'react'
import { Field } from './field.tsx'

type NumberFieldProps = {
  label: string
  hint?: string
  value: number
  min: number
  max: number
  step?: number
  /** A slider stands beside the figure. */
  hasSlider?: boolean
  onCommit: (value: number) => void
}

/** A figure that is kept when it is left or confirmed, and clamped to its range. */
export function NumberField(props: NumberFieldProps) {
  const { label, hint, value, min, max, step = 1, hasSlider = false, onCommit } = props
  const [typed, setTyped] = useState(String(value))
  useEffect(() => setTyped(String(value)), [value])

  const commit = (text: string) => {
    const wanted = Number(text.normalize('NFKC'))
    if (text.trim() === '' || !Number.isFinite(wanted)) return setTyped(String(value))
    const kept = Math.min(max, Math.max(min, Number.isInteger(step) ? Math.round(wanted) : wanted))
    setTyped(String(kept))
    if (kept !== value) onCommit(kept)
  }

  return (
    <Field label={label} hint={hint} layout="row">
      {(ids) => (
        <span className="row">
          {hasSlider && (
            <input
              type="range"
              className="range"
              aria-label={label}
              min={min}
              max={max}
              step={step}
              value={Number(typed)}
              onChange={(event) => setTyped(event.target.value)}
              onPointerUp={(event) => commit(event.currentTarget.value)}
              onKeyUp={(event) => commit(event.currentTarget.value)}
            />
          )}
          <input
            {...ids}
            className="input input-number"
            inputMode="decimal"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={(event) => commit(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') commit(event.currentTarget.value)
            }}
          />
        </span>
      )}
    </Field>
  )
}
