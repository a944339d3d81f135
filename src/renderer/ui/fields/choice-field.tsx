import { Field } from './field.tsx'

type ChoiceFieldProps<V extends string> = {
  label: string
  hint?: string
  value: V
  options: readonly { value: V; label: string }[]
  onChange: (value: V) => void
}

export function ChoiceField<V extends string>({
  label,
  hint,
  value,
  options,
  onChange,
}: ChoiceFieldProps<V>) {
  return (
    <Field label={label} hint={hint} layout="row">
      {(ids) => (
        <select
          {...ids}
          className="select"
          value={value}
          onChange={(event) => onChange(event.target.value as V)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type CheckFieldProps = { label: string; hint?: string; value: boolean; onChange: (value: boolean) => void }

export function CheckField({ label, hint, value, onChange }: CheckFieldProps) {
  return (
    <Field label={label} hint={hint} layout="row">
      {(ids) => (
        <input
          {...ids}
          type="checkbox"
          className="check"
          checked={value}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
    </Field>
  )
}
