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
  const [typed, setTyped] = useState(shown)
  useEffect(() => setTyped(shown), [shown])
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          className="textarea"
          rows={2}
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => {
            const lines = typed.split('\n').filter((line) => line !== '')
            if (typed !== shown) onCommit(lines.map((line) => line.replaceAll('\\n', '\n')))
          }}
        />
      )}
    </Field>
  )
}
