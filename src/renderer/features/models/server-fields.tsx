import { useWords } from '../../state/store-context.tsx'
import { Field } from '../../ui/fields/field.tsx'

type AddressFieldProps = { value: string; isBad?: boolean; onChange: (address: string) => void }

/** Where a server is. */
export function AddressField({ value, isBad = false, onChange }: AddressFieldProps) {
  const { t } = useWords()
  return (
    <Field
      label={t('models.address')}
      hint={t('models.address.hint')}
      error={isBad ? t('models.address.bad') : null}
    >
      {(ids) => (
        <input
          {...ids}
          className="input"
          inputMode="url"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type KeyFieldProps = { value: string; hint: string; onFocus?(): void; onChange: (key: string) => void }

/** What a server wants to know before it answers; never shown. */
export function KeyField({ value, hint, onFocus, onChange }: KeyFieldProps) {
  const { t } = useWords()
  return (
    <Field label={t('models.key')} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          type="password"
          autoComplete="off"
          value={value}
          onFocus={onFocus}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
