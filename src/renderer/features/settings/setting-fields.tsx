import { useEffect, useState } from 'react'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'
import { CheckField, ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'

/** The names of the values of one type in a record. */
type NamesOf<S, V> = { [N in keyof S]: S[N] extends V ? N : never }[keyof S]

/** A label whose hint has the same key with `.hint` behind it. */
type Hinted<K = MessageKey> = K extends `${infer L}.hint` ? L & MessageKey : never

type Range = { min: number; max: number; step?: number; hasSlider?: boolean }

type FieldsOf<S> = {
  t: Translate
  value: S
  onChange: (patch: Partial<S>) => void
  /** Returns the hint of a setting; `keyOf` names its options. */
  hintOf?: (name: keyof S, hint: MessageKey, keyOf?: (option: never) => MessageKey) => string
}

/** Returns functions that make the field of one setting of a record, by its name and its label. */
export function settingFields<S extends object>({
  t,
  value,
  onChange,
  hintOf = (_, hint) => t(hint),
}: FieldsOf<S>) {
  const set = (name: keyof S) => (next: unknown) => onChange({ [name]: next } as Partial<S>)
  return {
    check: (name: NamesOf<S, boolean>, label: Hinted, hint: MessageKey = `${label}.hint`) => (
      <CheckField
        label={t(label)}
        hint={hintOf(name, hint)}
        value={value[name] as boolean}
        onChange={set(name)}
      />
    ),
    figure: (name: NamesOf<S, number>, label: Hinted, range: Range) => (
      <NumberField
        label={t(label)}
        hint={hintOf(name, `${label}.hint`)}
        value={value[name] as number}
        onCommit={set(name)}
        {...range}
      />
    ),
    choice: <N extends NamesOf<S, string>>(
      name: N,
      label: Hinted,
      options: readonly (S[N] & string)[],
      keyOf: (option: S[N]) => MessageKey,
    ) => (
      <ChoiceField
        label={t(label)}
        hint={hintOf(name, `${label}.hint`, keyOf)}
        value={value[name] as S[N] & string}
        options={optionsOf(options, (option) => t(keyOf(option)))}
        onChange={set(name)}
      />
    ),
  }
}

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
