import './ask-dialog.css'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Form } from '../../ui/fields/form.tsx'

type SearchFormProps = {
  label: string
  hint: string
  placeholder?: string
  send: string
  value: string
  /** False where there is nothing to look for, or something is looked for already. */
  canSend: boolean
  onChange(value: string): void
  onSend(): void
  /** What is being done, or how much was found. */
  status: ReactNode
  /** What could not be searched. */
  children?: ReactNode
}

/** One line to look for in the work, and the result of the search. */
export function SearchForm(props: SearchFormProps) {
  const { label, hint, placeholder, send, value, canSend, onChange, onSend, status, children } = props
  return (
    <Form className="find" onSubmit={onSend}>
      <Field label={label} hint={hint}>
        {(ids) => (
          <div className="row">
            <input
              {...ids}
              className="input grow"
              // biome-ignore lint/a11y/noAutofocus: the dialog begins with what it needs
              autoFocus
              maxLength={2_000}
              placeholder={placeholder}
              value={value}
              onFocus={(event) => event.target.select()}
              onChange={(event) => onChange(event.target.value)}
            />
            <Button type="submit" look="primary" disabled={!canSend}>
              {send}
            </Button>
          </div>
        )}
      </Field>
      <p className="dim" role="status">
        {status}
      </p>
      {children}
    </Form>
  )
}
