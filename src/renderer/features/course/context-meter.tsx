import type { ContextMeter } from '../../../shared/domain/session/session.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

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

/** The part of the context that the model has read already; nothing where the model does not report it. */
export function Reuse({ meter: { usedTokens, reusedTokens: reused } }: { meter: ContextMeter }) {
  const { t } = useWords()
  if (reused === null) return null
  return <p>{t('context.reuse', { reused, fresh: Math.max(0, usedTokens - reused) })}</p>
}

/** How much of its budget each layer of the prompt uses, and what had no room in it. */
export function Layers({ meter: { layers } }: { meter: ContextMeter }) {
  const { t } = useWords()
  return (
    <ul className="context-layers" aria-label={t('sent.layers')}>
      {layers.map(({ layer, usedTokens: used, budgetTokens: budget, leftOut }) => (
        <li key={layer}>
          {t('sent.layer', { name: t(`sent.layer.${layer}`), used, budget })}
          {used > budget && <strong> {t('sent.layer.over')}</strong>}
          {leftOut.map(({ item, count }) => (
            <span key={item} className="dim">
              {' '}
              {t('sent.leftOut', { name: t(`notice.item.${item}`), count })}
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}
