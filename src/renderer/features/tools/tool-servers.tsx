import './tools.css'
import { useEffect, useState } from 'react'
import {
  type ProposedServer,
  ServerKey,
  ToolServer,
  type ToolServerStatus,
} from '../../../shared/domain/app/tool-server.ts'
import { listText } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { AddForm, ToolRow } from './tool-parts.tsx'

/** The MCP servers that the user added: how each is, and what adds, switches and removes them. */
export function ToolServers() {
  const { t } = useWords()
  const { servers, watch } = useApp((app) => app.toolServers)
  const added = useApp((app) => app.settings.value.toolServers)
  useEffect(() => watch(), [watch])
  return (
    <section className="tool-part" aria-label={t('mcp.title')}>
      <h3 className="label">{t('mcp.title')}</h3>
      <p className="small dim">{t('mcp.hint')}</p>
      {added.length === 0 && <p className="small">{t('mcp.none')}</p>}
      <ul className="tool-rows">
        {added.map((server) => (
          <Server
            key={server.name}
            server={server}
            status={servers.find(({ name }) => name === server.name) ?? null}
          />
        ))}
      </ul>
      <ServerForm names={added.map(({ name }) => name)} />
    </section>
  )
}

function Server({ server, status }: { server: ToolServer; status: ToolServerStatus | null }) {
  const { t, language, errorText } = useWords()
  const { remove, use, start } = useApp((app) => app.toolServers)
  const { name, isOn, folder, keys = [] } = server
  const state = status?.state ?? (isOn ? 'idle' : 'off')
  const canStart = state === 'idle' || state === 'ended' || state === 'failed'
  return (
    <ToolRow
      title={<b>{name}</b>}
      onLabel={t('mcp.on', { name })}
      removeLabel={t('mcp.remove', { name })}
      isOn={isOn}
      onSwitch={(next) => void use(name, next)}
      onRemove={() => void remove(name)}
      state={
        <>
          <span className={state === 'failed' || state === 'ended' ? 'small tool-bad' : 'small dim'}>
            {t(`mcp.state.${state}`, { count: status?.tools.length ?? 0 })}
          </span>
          {isOn && canStart && (
            <Button onClick={() => void start(name)} aria-label={t('mcp.start.named', { name })}>
              {t('mcp.start')}
            </Button>
          )}
        </>
      }
    >
      <code className="small">
        <Pieces text={serverPlace(server)} />
      </code>
      {folder !== undefined && <p className="small dim">{t('mcp.onlyIn', { folder })}</p>}
      {keys.length > 0 && <p className="small dim">{t('mcp.key.has', { keys })}</p>}
      {status?.problem && (
        <p className="small tool-bad">
          <Pieces text={errorText(status.problem)} />
        </p>
      )}
      {status !== null && status.tools.length > 0 && (
        <p className="small dim">
          <Pieces text={listText(language, status.tools)} />
        </p>
      )}
      {status !== null && status.leftOut > 0 && (
        <p className="small dim">{t('mcp.leftOut', { count: status.leftOut })}</p>
      )}
    </ToolRow>
  )
}

type Kind = ToolServer['transport']['kind']

/** Adds an MCP server. `names`: those in use. */
function ServerForm({ names }: { names: readonly string[] }) {
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
      <TextField
        label={t('mcp.name')}
        hint={t('mcp.name.hint')}
        error={isTried && !isNameFree ? t('mcp.name.bad') : null}
        maxLength={24}
        spellCheck={false}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <ChoiceField
        label={t('mcp.kind')}
        value={kind}
        options={optionsOf(['stdio', 'http'], (value) => t(`mcp.kind.${value}`))}
        onChange={setKind}
      />
      <TextField
        label={t(kind === 'stdio' ? 'mcp.command' : 'mcp.address')}
        {...(kind === 'stdio' ? { hint: t('mcp.command.hint') } : {})}
        error={
          isTried && transport === null ? t(kind === 'stdio' ? 'mcp.command.bad' : 'mcp.address.bad') : null
        }
        maxLength={4000}
        spellCheck={false}
        autoComplete="off"
        value={place}
        onChange={setPlace}
      />
      <TextField
        label={t(kind === 'stdio' ? 'mcp.key.variable' : 'mcp.key.header')}
        hint={t('mcp.key.hint')}
        error={isTried && !isKeyWhole ? t('mcp.key.bad') : null}
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        value={key}
        onFocus={() => void askKeyStore().then((isEncrypted) => setIsPlain(isEncrypted === false))}
        onChange={setKey}
      />
      <TextField
        label={t('mcp.key.value')}
        hint={t(isPlain ? 'models.key.plain' : 'mcp.key.kept')}
        type="password"
        maxLength={8000}
        autoComplete="off"
        value={secret}
        onChange={setSecret}
      />
    </AddForm>
  )
}

/** Reads the transport; null where it is not complete. */
function transportOf(kind: Kind, place: string): ToolServer['transport'] | null {
  const [command = '', ...args] = commandWords(place) ?? []
  const transport = kind === 'http' ? { kind, address: place.trim() } : { kind, command, args }
  return ToolServer.shape.transport.safeParse(transport).data ?? null
}

/**
 * Splits a typed command into words: separated by spaces, those in quotes kept together.
 *
 * Shape: null where a quote is not closed. No other character has a meaning: no shell reads the command.
 */
export function commandWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (const char of line) {
    if (quote !== null) {
      if (char === quote) quote = null
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (quote !== null) return null
  return word === null ? words : [...words, word]
}

/** The MCP servers that the open folder's own file proposes: each is added, or put away, by the user. */
export function ProposedServers() {
  const work = useApp((state) => state.work.current)
  const isTrusted = useApp((state) => state.consent.trust?.isTrusted === true)
  return work && isTrusted ? <FolderServers key={work.workId} folder={work.name} /> : null
}

function FolderServers({ folder }: { folder: string }) {
  const { t } = useWords()
  const { proposed, findProposed } = useApp((state) => state.toolServers)
  const { servers, problems, isReadable } = proposed
  useEffect(() => void findProposed(), [findProposed])
  if (isReadable && servers.length === 0 && problems.length === 0) return null
  return (
    <section className="tool-part" aria-label={t('mcp.proposed', { folder })}>
      <h3 className="label">{t('mcp.proposed', { folder })}</h3>
      <p className="small dim">{t('mcp.proposed.hint')}</p>
      {!isReadable && <p className="small tool-bad">{t('mcp.proposed.unreadable')}</p>}
      {problems.length > 0 && (
        <p className="small tool-bad">{t('mcp.proposed.problems', { names: problems })}</p>
      )}
      <ul className="tool-rows">
        {servers.map((one) => (
          <Proposal key={one.hash} proposed={one} />
        ))}
      </ul>
    </section>
  )
}

function Proposal({ proposed }: { proposed: ProposedServer }) {
  const { t } = useWords()
  const { add, dismiss, findProposed } = useApp((state) => state.toolServers)
  const { server, values, missing, isChanged } = proposed
  const { name, keys = [] } = server
  const use = async () => {
    if (await add(server, values)) await findProposed()
  }
  return (
    <li className="tool-row">
      <div className="row">
        <b className="grow">{name}</b>
        <Button
          onClick={() => void use()}
          aria-label={t(isChanged ? 'mcp.proposed.exchange' : 'mcp.proposed.add', { name })}
        >
          {t(isChanged ? 'mcp.proposed.replace' : 'action.add')}
        </Button>
        <Button onClick={() => void dismiss(proposed)} aria-label={t('mcp.proposed.dismiss', { name })}>
          {t('mcp.proposed.no')}
        </Button>
      </div>
      <code className="small">
        <Pieces text={serverPlace(server)} />
      </code>
      {keys.length > 0 && <p className="small dim">{t('mcp.proposed.keys', { keys })}</p>}
      {missing.length > 0 && <p className="small tool-bad">{t('mcp.proposed.missing', { keys: missing })}</p>}
    </li>
  )
}

/** Returns the command that is started, or the address that is asked, in one line. */
function serverPlace({ transport }: ToolServer): string {
  return transport.kind === 'http' ? transport.address : [transport.command, ...transport.args].join(' ')
}
