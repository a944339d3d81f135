import './catalogue.css'
import { useEffect, useRef, useState } from 'react'
import type { FoundServer } from '../../../shared/domain/model/model-found.ts'
import {
  type Backend,
  backendNames,
  flavourNames,
  type OpenaiFlavour,
} from '../../../shared/domain/model/model-profile.ts'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import { readServerAddress } from '../../../shared/text/server-address.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'

/** Adds a server by its address: finds its kind and its models, and tests it at once. */
export function AddServer({ onDone }: { onDone: () => void }) {
  const { t } = useWords()
  const { identify, use, probe, askKeyStore } = useApp((state) => state.models)
  const [isEncrypted, setIsEncrypted] = useState<boolean | null>(null)
  const [address, setAddress] = useState('http://127.0.0.1:8080')
  const [key, setKey] = useState('')
  const [found, setFound] = useState<FoundServer | null>(null)
  const [chosen, setChosen] = useState('')
  const [isBad, setIsBad] = useState(false)
  const [isLooking, setIsLooking] = useState(false)
  /** Counts the addresses and keys that were typed or chosen: an answer counts only for the last one. */
  const asked = useRef(0)
  const models = found === null || found.needsKey ? [] : found.models

  const add = async ({ models: [first, ...others] }: FoundServer) => {
    const model = others.find(({ name }) => name === chosen) ?? first
    if (model === undefined) return
    const profile = await use({ ...model.choice, ...(key !== '' && { key }) })
    if (profile === null) return
    onDone()
    await probe(profile.id)
  }
  const look = async (typed = address) => {
    const read = readServerAddress(typed)
    setIsBad(read === null)
    if (read === null) return
    setAddress(read)
    setIsLooking(true)
    asked.current += 1
    const mine = asked.current
    const server = await identify(read, key)
    if (asked.current !== mine) return
    setIsLooking(false)
    setFound(server)
    // Nothing is left to choose.
    if (server?.models.length === 1 && !server.needsKey) await add(server)
  }
  const submit = () => void (found !== null && models.length > 0 ? add(found) : look())
  const change = (set: (value: string) => void) => (value: string) => {
    set(value)
    // The result belongs to another address, or to another key; so does one that is still awaited.
    asked.current += 1
    setIsLooking(false)
    setFound(null)
    setChosen('')
  }

  return (
    <Form className="card profile-form" onSubmit={submit}>
      <FoundServers onChoose={(place) => void look(place)} />
      <AddressField isFirst value={address} isBad={isBad} onChange={change(setAddress)} />
      <KeyField
        value={key}
        hint={t(isEncrypted === false ? 'models.key.plain' : 'models.key.hint')}
        onFocus={() => void askKeyStore().then(setIsEncrypted)}
        onChange={change(setKey)}
      />
      {found !== null && <FoundNote found={found} />}
      {models.length > 0 && (
        <ChoiceField
          label={t('models.model')}
          value={chosen || (models[0]?.name ?? '')}
          options={models.map(({ name }) => ({ value: name ?? '', label: name ?? address }))}
          onChange={setChosen}
        />
      )}
      <div className="row">
        <span className="grow" />
        <Button onClick={onDone}>{t('action.cancel')}</Button>
        <Button variant="primary" type="submit" disabled={isLooking}>
          {t(
            isLooking
              ? 'models.findingServer'
              : models.length > 0
                ? 'models.addAndTest'
                : 'models.findServer',
          )}
        </Button>
      </div>
    </Form>
  )
}

/** Lists servers that answer on this machine, so that users need not type their addresses. */
function FoundServers({ onChoose }: { onChoose: (address: string) => void }) {
  const { t } = useWords()
  const { found, discover } = useApp((state) => state.models)
  useEffect(() => {
    if (found === null) void discover()
  }, [found, discover])
  const servers = (found ?? []).filter((one) => one.backend !== 'embedded')
  if (servers.length === 0) return null
  return (
    <fieldset className="choices found-servers" aria-label={t('models.found')}>
      {servers.map((server) => (
        <Button key={server.address} onClick={() => onChoose(server.address)}>
          {placeKind(t, server)} · {server.address}
        </Button>
      ))}
    </fieldset>
  )
}

function FoundNote({ found }: { found: FoundServer }) {
  const { t } = useWords()
  const kind = placeKind(t, found)
  const hasModels = found.models.length > 0
  return (
    <p className="probe" role="status">
      {found.needsKey
        ? t('models.serverNeedsKey', { kind })
        : t(hasModels ? 'models.serverIs' : 'models.serverEmpty', { kind })}
    </p>
  )
}

/** `isFirst`: the form begins with this field; typed or pasted text replaces the address that is shown. */
type AddressFieldProps = {
  value: string
  isBad?: boolean
  isFirst?: boolean
  onChange: (address: string) => void
}

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
export function placeKind(
  t: Translate,
  { backend, flavour = 'other' }: { backend: Backend; flavour?: OpenaiFlavour | undefined },
): string {
  const key = `backend.${backend}`
  return flavourNames[flavour] ?? backendNames[backend] ?? (isMessageKey(key) ? t(key) : backend)
}
