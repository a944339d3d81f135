import type { Backend, OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import { useWords } from '../../state/store-context.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'

/** `isFirst`: the form begins with this field; typed or pasted text replaces the address that is shown. */
type AddressFieldProps = {
  value: string
  isBad?: boolean
  isFirst?: boolean
  onChange: (address: string) => void
}

/** The address of a server. */
export function AddressField({ value, isBad = false, isFirst = false, onChange }: AddressFieldProps) {
  const { t } = useWords()
  return (
    <TextField
      label={t('models.address')}
      hint={t('models.address.hint')}
      error={isBad ? t('models.address.bad') : null}
      inputMode="url"
      spellCheck={false}
      autoFocus={isFirst}
      value={value}
      onFocus={(event) => isFirst && event.target.select()}
      onChange={onChange}
    />
  )
}

type KeyFieldProps = { value: string; hint: string; onFocus?(): void; onChange: (key: string) => void }

/** The key that a server asks for before it answers; never shown. */
export function KeyField({ value, hint, onFocus, onChange }: KeyFieldProps) {
  const { t } = useWords()
  return (
    <TextField
      label={t('models.key')}
      hint={hint}
      type="password"
      autoComplete="off"
      value={value}
      onFocus={onFocus}
      onChange={onChange}
    />
  )
}

/** Returns what serves models at a place: the server's own name where it is known, else the kind of backend. */
export function placeKind(place: {
  backend: Backend
  flavour?: OpenaiFlavour | undefined
}): Extract<MessageKey, `backend.${string}` | `flavour.${string}`> {
  return place.flavour === undefined ? `backend.${place.backend}` : `flavour.${place.flavour}`
}
