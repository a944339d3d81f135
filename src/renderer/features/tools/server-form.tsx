import { useState } from 'react'
import { ServerKey, ToolServer } from '../../../shared/domain/app/tool-server.ts'
import { commandWords } from '../../../shared/text/command-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { AddForm } from './add-form.tsx'

type Kind = ToolServer['transport']['kind']

/** Adds an MCP server. `names`: those in use. */
export function ServerForm({ names }: { names: readonly string[] }) {
  const { t } = useWords()
  const add = useApp((app) => app.toolServers.add)
  const [kind, setKind] = useState<Kind>('stdio')
  const [name, setName] = useState('')
  const [place, setPlace] = useState('')
  const [key, setKey] = useState('')
  const [secret, setSecret] = useState('')
  const [isPlain, setIsPlain] = useState(false)
  const [isTried, setIsTried] = useState(false)
  const askKeyStore = useApp((app) => app.models.askKeyStore)
  const transport = transportOf(kind, place)
  const isKeyWhole = key === '' ? secret === '' : ServerKey.safeParse(key).success && secret !== ''
  const isNameFree = ToolServer.shape.name.safeParse(name).success && !names.includes(name)

  const addServer = async () => {
    setIsTried(true)
    if (!isNameFree || transport === null || !isKeyWhole) return false
    const keys = key === '' ? {} : { keys: [key] }
    return add({ name, isOn: true, transport, ...keys }, key === '' ? {} : { [key]: secret })
  }
  const clear = () => {
    for (const empty of [setName, setPlace, setKey, setSecret]) empty('')
    setKind('stdio')
    setIsTried(false)
  }
  return (
    <AddForm label={t('mcp.add')} onAdd={addServer} onClear={clear}>
      <Field
        label={t('mcp.name')}
        hint={t('mcp.name.hint')}
        error={isTried && !isNameFree ? t('mcp.name.bad') : null}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={24}
            spellCheck={false}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <ChoiceField
        label={t('mcp.kind')}
        value={kind}
        options={(['stdio', 'http'] as const).map((value) => ({ value, label: t(`mcp.kind.${value}`) }))}
        onChange={setKind}
      />
      <Field
        label={t(kind === 'stdio' ? 'mcp.command' : 'mcp.address')}
        {...(kind === 'stdio' ? { hint: t('mcp.command.hint') } : {})}
        error={
          isTried && transport === null ? t(kind === 'stdio' ? 'mcp.command.bad' : 'mcp.address.bad') : null
        }
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={4000}
            spellCheck={false}
            autoComplete="off"
            value={place}
            onChange={(event) => setPlace(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t(kind === 'stdio' ? 'mcp.key.variable' : 'mcp.key.header')}
        hint={t('mcp.key.hint')}
        error={isTried && !isKeyWhole ? t('mcp.key.bad') : null}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={64}
            spellCheck={false}
            autoComplete="off"
            value={key}
            onFocus={() => void askKeyStore().then((isEncrypted) => setIsPlain(isEncrypted === false))}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('mcp.key.value')} hint={t(isPlain ? 'models.key.plain' : 'mcp.key.kept')}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            maxLength={8000}
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </Field>
    </AddForm>
  )
}

/** Reads the transport; null where it is not complete. */
function transportOf(kind: Kind, place: string): ToolServer['transport'] | null {
  const [command = '', ...args] = commandWords(place) ?? []
  const transport = kind === 'http' ? { kind, address: place.trim() } : { kind, command, args }
  return ToolServer.shape.transport.safeParse(transport).data ?? null
}
