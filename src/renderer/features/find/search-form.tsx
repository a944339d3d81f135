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
  /** False where the query is empty or a search is running. */
  canSend: boolean
  onChange(value: string): void
  onSend(): void
  /** The progress of the search, or the number of its results. */
  status: ReactNode
  /** The files that could not be searched. */
  children?: ReactNode
  /** It stands in a pane: a visit of the pane focuses it, but not each time that the pane opens. */
  inPane?: boolean
}

/** One line to look for in the work, and the result of the search. */
export function SearchForm(props: SearchFormProps) {
  const { label, hint, placeholder, send, value, canSend, onChange, onSend, status, inPane = false } = props
  return (
    <Form className="find" onSubmit={onSend}>
      <Field label={label} hint={hint}>
        {(ids) => (
          <div className="row">
            <input
              {...ids}
              className="input grow"
              // biome-ignore lint/a11y/noAutofocus: the dialog begins with what it needs
              autoFocus={!inPane}
              data-pane-focus={inPane || undefined}
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
