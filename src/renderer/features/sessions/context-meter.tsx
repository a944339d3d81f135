import type { ContextMeter } from '../../../shared/domain/session.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { type BarPart, StackedBar } from '../../ui/meter.tsx'

type PartKind = ContextMeter['parts'][number]['kind']

/** What fills the context, in three groups that a reader can tell apart. */
const groups: { id: 'head' | 'talk' | 'material'; colour: BarPart['colour']; kinds: PartKind[] }[] = [
  { id: 'head', colour: 'info', kinds: ['base', 'tools', 'instructions'] },
  { id: 'talk', colour: 'body', kinds: ['summary', 'messages', 'blocks'] },
  { id: 'material', colour: 'ink2', kinds: ['files', 'results'] },
]

export function ContextMeterCard() {
  const { t } = useWords()
  const meter = useApp((state) => state.sessions.current?.state?.context ?? null)
  if (meter === null) return null
  const parts = groups
    .map(({ id, colour, kinds }) => {
      const amount = meter.parts
        .filter((part) => kinds.includes(part.kind))
        .reduce((sum, part) => sum + part.tokens, 0)
      return { id, colour, amount, label: t(`session.context.${id}`, { count: amount }) }
    })
    .filter((part) => part.amount > 0)
  const fresh = meter.reusedTokens === null ? null : Math.max(0, meter.usedTokens - meter.reusedTokens)
  return (
    <section className="card context-meter-card" aria-label={t('session.context')}>
      <p className="row context-meter-figures">
        <span>{t('session.context')}</span>
        <span className="grow">
          {meter.limitTokens === null
            ? t('unit.count', { count: meter.usedTokens })
            : t('session.context.of', { used: meter.usedTokens, limit: meter.limitTokens })}
        </span>
        {meter.isEstimate && <span className="context-estimate">{t('context.estimate')}</span>}
      </p>
      <StackedBar
        label={parts.map((part) => part.label).join(' · ')}
        parts={parts}
        total={meter.limitTokens ?? meter.usedTokens}
      />
      <ul className="context-legend">
        {parts.map((part) => (
          <li key={part.id}>
            <i aria-hidden="true" style={{ background: `var(--${part.colour})` }} />
            {part.label}
          </li>
        ))}
      </ul>
      {fresh !== null && (
        <p className="context-meter-figures">
          {t('context.reuse', { reused: meter.reusedTokens ?? 0, fresh })}
        </p>
      )}
    </section>
  )
}
