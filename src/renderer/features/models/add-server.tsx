import { type FormEvent, useState } from 'react'
import { ServerAddress } from '../../../shared/domain/model-profile.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** A KoboldCpp server by its address; with a key where it wants one. Tested at once. */
export function AddServer({ onDone }: { onDone: () => void }) {
  const { t } = useWords()
  const { use, saveProfile, probe } = useApp((state) => state.models)
  const secretsEncrypted = useApp((state) => state.connection.host?.areSecretsEncrypted)
  const [address, setAddress] = useState('http://127.0.0.1:5001')
  const [key, setKey] = useState('')
  const [isBad, setIsBad] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const parsed = ServerAddress.safeParse(address.trim())
    setIsBad(!parsed.success)
    if (!parsed.success) return
    const profile = await use({ backend: 'koboldcpp', address: parsed.data })
    if (profile === null) return
    if (key !== '') await saveProfile(profile, key)
    onDone()
    await probe(profile.id)
  }

  return (
    <form className="card profile-form" onSubmit={(event) => void submit(event)}>
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
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t('models.key')}
        hint={t(secretsEncrypted === false ? 'models.key.plain' : 'models.key.hint')}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            autoComplete="off"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <div className="row">
        <span className="grow" />
        <Button onClick={onDone}>{t('action.cancel')}</Button>
        <Button look="primary" type="submit">
          {t('models.addAndTest')}
        </Button>
      </div>
    </form>
  )
}
