import { type FormEvent, useState } from 'react'
import { ToolServer } from '../../../shared/domain/app/tool-server.ts'
import { commandWords } from '../../../shared/text/command-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'

type Kind = ToolServer['transport']['kind']

/** A new MCP server. `names`: those that are taken. */
export function ServerForm({ names }: { names: readonly string[] }) {
  const { t } = useWords()
  const add = useApp((app) => app.toolServers.add)
  const [kind, setKind] = useState<Kind>('stdio')
  const [name, setName] = useState('')
  const [place, setPlace] = useState('')
  const [isTried, setIsTried] = useState(false)
  const transport = transportOf(kind, place)
  const isNameFree = ToolServer.shape.name.safeParse(name).success && !names.includes(name)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (!isNameFree || transport === null) return
    void add({ name, isOn: true, transport }).then(() => {
      setName('')
      setPlace('')
      setIsTried(false)
    })
  }
  return (
    <form className="tool-server-form" aria-label={t('mcp.add')} onSubmit={submit}>
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
      <div>
        <Button type="submit">{t('mcp.add')}</Button>
      </div>
    </form>
  )
}

/** Null where it is not whole. */
function transportOf(kind: Kind, place: string): ToolServer['transport'] | null {
  const [command = '', ...args] = commandWords(place) ?? []
  const transport = kind === 'http' ? { kind, address: place.trim() } : { kind, command, args }
  return ToolServer.shape.transport.safeParse(transport).data ?? null
}
