import { useEffect, useState } from 'react'
import { Field } from '../../ui/fields/field.tsx'

type LinesFieldProps = {
  label: string
  hint: string
  error?: string | null
  values: readonly string[]
  onCommit: (values: string[]) => void
}

/** A list of short texts, one a line; spaces count, empty lines do not. `\n` stands for a line end. */
export function LinesField({ label, hint, error = null, values, onCommit }: LinesFieldProps) {
  const shown = values.map((value) => value.replaceAll('\n', '\\n')).join('\n')
  const [draft, setDraft] = useState(shown)
  useEffect(() => setDraft(shown), [shown])
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          className="textarea"
          rows={2}
          spellCheck={false}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={() => {
            const lines = draft.split('\n').filter((line) => line !== '')
            if (draft !== shown) onCommit(lines.map((line) => line.replaceAll('\\n', '\n')))
          }}
        />
      )}
    </Field>
  )
}
