import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Form } from '../../ui/fields/form.tsx'

type SearchFormProps = {
  label: string
  hint: string
  placeholder?: string
  send: string
  value: string
  /** False where the query is empty or a search is running. */
  canSend: boolean
  onChange(value: string): void
  onSend(): void
  /** The progress of the search, or the number of its results. */
  status: ReactNode
  /** The files that could not be searched. */
  children?: ReactNode
  /** Of a form in a pane: the user has gone to it. Absent: it has the focus from the start. */
  isFocusWanted?: boolean
}

/** One line to look for in the work, and the result of the search. */
export function SearchForm(props: SearchFormProps) {
  const { label, hint, placeholder, send, value, canSend, onChange, onSend, status, isFocusWanted } = props
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFocusWanted) input.current?.focus()
  }, [isFocusWanted])
  return (
    <Form className="find" onSubmit={onSend}>
      <Field label={label} hint={hint}>
        {(ids) => (
          <div className="row">
            <input
              {...ids}
              ref={input}
              className="input grow"
              // biome-ignore lint/a11y/noAutofocus: the dialog begins with what it needs
              autoFocus={isFocusWanted === undefined}
              maxLength={2_000}
              placeholder={placeholder}
              value={value}
              onFocus={(event) => event.target.select()}
              onChange={(event) => onChange(event.target.value)}
            />
            <Button type="submit" variant="primary" disabled={!canSend}>
              {send}
            </Button>
          </div>
        )}
      </Field>
      <p className="dim" role="status">
        {status}
      </p>
      {props.children}
    </Form>
  )
}
