import './tools.css'
import { useEffect } from 'react'
import type { ToolServer, ToolServerStatus } from '../../../shared/domain/app/tool-server.ts'
import { listText } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { ServerForm } from './server-form.tsx'
import { serverPlace } from './server-place.ts'
import { ToolRow } from './tool-row.tsx'

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
  const { t, language } = useWords()
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
          <Pieces text={status.problem} />
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
