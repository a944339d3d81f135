import type { ComponentProps, ReactNode } from 'react'
import { Field } from './field.tsx'

type TextFieldProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  label: string
  hint?: ReactNode
  error?: string | null
  layout?: 'stack' | 'row'
  value: string
  onChange: (value: string) => void
}

/** A labelled line of text; further attributes are those of its input. */
export function TextField(props: TextFieldProps) {
  const { label, hint, error = null, layout = 'stack', onChange, ...input } = props
  return (
    <Field label={label} hint={hint} error={error} layout={layout}>
      {(ids) => (
        <input {...ids} className="input" {...input} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  )
}
