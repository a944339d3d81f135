import type { ContextMeter } from '../../../shared/domain/session.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ContextBar } from '../../ui/context-bar.tsx'
import { groupedParts } from './context-parts.ts'

/** How full the open session's context is, wherever its parts are not told one by one. */
export function ContextMeterCard() {
  const { t } = useWords()
  const meter = useApp((state) => state.sessions.current?.state?.context ?? null)
  if (meter === null) return null
  const { usedTokens: used, limitTokens: limit } = meter
  return (
    <section className="card context-meter-card" aria-label={t('session.context')}>
      <ContextBar
        figures={
          <span>
            {t('session.context')}{' '}
            {limit === null ? t('sent.totalOpen', { used }) : t('sent.total', { used, limit })}
          </span>
        }
        estimate={meter.isEstimate ? t('context.estimate') : null}
        parts={groupedParts(meter, t)}
        total={Math.max(limit ?? used, used)}
      >
        <Reuse meter={meter} />
        <WindowSource meter={meter} />
      </ContextBar>
    </section>
  )
}

/** Says where the context window comes from when the server did not tell it, with the way to set it. */
export function WindowSource({ meter: { limitTokens: count, limitSource } }: { meter: ContextMeter }) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  if (count === null || (limitSource !== 'assumed' && limitSource !== 'name')) return null
  return (
    <p className="row context-window-source">
      <span className="grow">{t(`context.window.${limitSource}`, { count })}</span>
      <Button look="quiet" onClick={() => open({ kind: 'settings', section: 'models' })}>
        {t('context.window.set')}
      </Button>
    </p>
  )
}

/** What of the context the model has read already; nothing where it does not tell. */
export function Reuse({ meter: { usedTokens, reusedTokens: reused } }: { meter: ContextMeter }) {
  const { t } = useWords()
  if (reused === null) return null
  return <p>{t('context.reuse', { reused, fresh: Math.max(0, usedTokens - reused) })}</p>
}
