import { useEffect } from 'react'
import type { ProposedServer } from '../../../shared/domain/app/tool-server.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { serverPlace } from './server-place.ts'

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
