import type { ComponentProps } from 'react'
import { Field } from './field.tsx'

/** Returns the options of a choice, each with its label. */
export function optionsOf<const V extends string>(values: readonly V[], label: (value: V) => string) {
  return values.map((value) => ({ value, label: label(value) }))
}

type ChoiceFieldProps<V extends string> = {
  label: string
  hint?: string
  value: V
  options: readonly { value: V; label: string }[]
  onChange: (value: V) => void
}

export function ChoiceField<V extends string>(props: ChoiceFieldProps<V>) {
  const { label, hint, value, options, onChange } = props
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

type CheckProps = Omit<ComponentProps<'input'>, 'onChange'> & { onChange: (isOn: boolean) => void }

/** A checkbox before its label; `className` is the label's, further attributes are the input's. */
export function Check({ className = 'row', onChange, children, ...input }: CheckProps) {
  return (
    <label className={className}>
      <input
        {...input}
        type="checkbox"
        className="check"
        onChange={({ target }) => onChange(target.checked)}
      />
      {children}
    </label>
  )
}

type CheckFieldProps = { label: string; hint?: string; value: boolean; onChange: (value: boolean) => void }

export function CheckField({ label, hint, value, onChange }: CheckFieldProps) {
  return (
    <Field label={label} hint={hint} layout="row">
      {(ids) => <Check {...ids} checked={value} onChange={onChange} />}
    </Field>
  )
}
