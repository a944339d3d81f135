import './field.css'
import { type ReactNode, useId } from 'react'

export type FieldIds = { id: string; 'aria-describedby': string | undefined; 'aria-invalid'?: true }

type FieldProps = {
  label: string
  hint?: ReactNode
  error?: string | null
  /** `row`: label at the left of a short control. */
  layout?: 'stack' | 'row'
  children: (ids: FieldIds) => ReactNode
}

/** A labelled control with one short line that explains it; an error takes that line's place. */
export function Field({ label, hint, error, layout = 'stack', children }: FieldProps) {
  const id = useId()
  const note = error || hint
  const ids: FieldIds = { id, 'aria-describedby': note ? `${id}-note` : undefined }
  if (error) ids['aria-invalid'] = true
  return (
    <div className={`field field-${layout}`}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children(ids)}
      {note && (
        <p id={`${id}-note`} className={error ? 'field-note field-error' : 'field-note'}>
          {note}
        </p>
      )}
    </div>
  )
}
