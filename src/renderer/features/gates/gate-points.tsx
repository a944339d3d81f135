import type { ReactNode } from 'react'
import type { GateCall } from '../../../shared/domain/session/gate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'
import { fileTotals, isSubjectOnly, riskWords } from './gate-facts.ts'

type GatePointsProps = {
  call: GateCall
  /** The layout of the gate's diffs is chosen here. */
  hasLayout: boolean
}

/**
 * Intent, reason, effect, alternatives, what the diff below looks like and, where there is any, what makes it risky.
 * A point that is empty, or only repeats what stands below, is folded.
 */
export function GatePoints({ call, hasLayout }: GatePointsProps) {
  const { t } = useWords()
  const isNamedBelow = isSubjectOnly(call)
  const hasReason = call.reason !== ''
  const hasAlternatives = call.alternatives.length > 0
  const isEffectBelow = call.files.length > 0
  const intent = (
    <Point name={t('gate.point.intent')}>
      {isNamedBelow ? (
        <Pieces text={t('gate.intent', { tool: t(`tool.${call.tool}`), subject: call.intent })} />
      ) : (
        <Pieces text={call.intent} />
      )}
    </Point>
  )
  const reason = (
    <Point name={t('gate.point.reason')}>
      {hasReason ? (
        <>
          <Pieces text={call.reason} />
          {call.isReasonFromDecision && <span className="gate-source">{t('gate.fromDecision')}</span>}
        </>
      ) : (
        <span className="dim">{t('gate.noReason')}</span>
      )}
    </Point>
  )
  const effect = (
    <Point name={t('gate.point.effect')}>
      <Effect call={call} />
    </Point>
  )
  const alternatives = (
    <Point name={t('gate.point.alternatives')}>
      {hasAlternatives ? (
        <List lines={call.alternatives} />
      ) : (
        <span className="dim">{t('gate.noAlternatives')}</span>
      )}
    </Point>
  )
  return (
    <>
      <dl className="gate-points">
        {!isNamedBelow && intent}
        {hasReason && reason}
        {!isEffectBelow && effect}
        {call.plan && <PlanPoints plan={call.plan} />}
        {hasAlternatives && alternatives}
        {call.risk.reasons.length > 0 && (
          <Point name={t('gate.point.risk')}>
            <ul>
              {call.risk.reasons.map(({ code, detail }) => (
                <li key={`${code} ${detail}`}>
                  {t(riskWords(call, code))}
                  {detail !== '' && (
                    <code className="gate-detail">
                      <Verbatim text={detail} isCommand />
                    </code>
                  )}
                </li>
              ))}
            </ul>
          </Point>
        )}
        {hasLayout && (
          <Point name={t('gate.point.diff')}>
            <LayoutChoice />
          </Point>
        )}
      </dl>
      {(isNamedBelow || !hasReason || isEffectBelow || !hasAlternatives) && (
        <details className="gate-more">
          <summary>{t('gate.more')}</summary>
          <dl className="gate-points">
            {isNamedBelow && intent}
            {!hasReason && reason}
            {isEffectBelow && effect}
            {!hasAlternatives && alternatives}
          </dl>
        </details>
      )}
    </>
  )
}

function Point({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function List({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>
          <Pieces text={line} />
        </li>
      ))}
    </ul>
  )
}

function Effect({ call }: { call: GateCall }) {
  const { t } = useWords()
  const { files, added, removed } = fileTotals([call])
  if (call.command) {
    const { folder, isBackground } = call.command
    if (folder === '' || folder === '.')
      return t(isBackground ? 'gate.effect.backgroundHere' : 'gate.effect.commandHere')
    return <Pieces text={t(isBackground ? 'gate.effect.background' : 'gate.effect.command', { folder })} />
  }
  if (files > 0) return t('gate.effect.files', { files, added, removed })
  if (call.outside) {
    const key = call.tool === 'mcp' ? 'gate.effect.service' : 'gate.effect.site'
    return <Pieces text={t(key, { place: call.outside.place })} />
  }
  if (call.reads.length > 0) return <Pieces text={t('gate.effect.reads', { paths: call.reads })} />
  return t(call.plan ? 'gate.effect.plan' : 'gate.effect.none')
}

function PlanPoints({ plan }: { plan: NonNullable<GateCall['plan']> }) {
  const { t } = useWords()
  return (
    <>
      <Point name={t('gate.point.steps')}>
        <ol className="gate-steps">
          {plan.steps.map((step) => (
            <li key={step}>
              <Pieces text={step} />
            </li>
          ))}
        </ol>
      </Point>
      <Point name={t('gate.point.success')}>
        <Pieces text={plan.successCriteria} />
      </Point>
    </>
  )
}

const layouts = ['unified', 'side-by-side'] as const

/** How diffs are laid out; kept for every gate of this window. */
function LayoutChoice() {
  const { t } = useWords()
  const { layout, setLayout } = useApp((state) => state.gates)
  return (
    <fieldset className="gate-layout">
      <legend className="visually-hidden">{t('gate.layout')}</legend>
      {layouts.map((one) => (
        <button key={one} type="button" aria-pressed={one === layout} onClick={() => setLayout(one)}>
          {t(`gate.layout.${one}`)}
        </button>
      ))}
    </fieldset>
  )
}
