import type { ReactNode } from 'react'
import type { GateCall } from '../../../shared/domain/gate.ts'
import { useWords } from '../../state/store-context.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'
import { fileTotals, isSubjectOnly, riskWords } from './gate-facts.ts'
import { LayoutChoice } from './layout-choice.tsx'

type GatePointsProps = {
  call: GateCall
  /** How the diffs of the gate are laid out is chosen here. */
  hasLayout: boolean
}

/** Intent, reason, effect, alternatives, what the diff below looks like and, where there is any, what makes it risky. */
export function GatePoints({ call, hasLayout }: GatePointsProps) {
  const { t } = useWords()
  return (
    <dl className="gate-points">
      <Point name={t('gate.point.intent')}>
        {isSubjectOnly(call) ? (
          <Pieces text={t('gate.intent', { tool: t(`tool.${call.tool}`), subject: call.intent })} />
        ) : (
          <Pieces text={call.intent} />
        )}
      </Point>
      <Point name={t('gate.point.reason')}>
        {call.reason === '' ? (
          <span className="dim">{t('gate.noReason')}</span>
        ) : (
          <>
            <Pieces text={call.reason} />
            {call.isReasonFromDecision && <span className="gate-source">{t('gate.fromDecision')}</span>}
          </>
        )}
      </Point>
      <Point name={t('gate.point.effect')}>
        <Effect call={call} />
      </Point>
      {call.plan && <PlanPoints plan={call.plan} />}
      <Point name={t('gate.point.alternatives')}>
        {call.alternatives.length === 0 ? (
          <span className="dim">{t('gate.noAlternatives')}</span>
        ) : (
          <List lines={call.alternatives} />
        )}
      </Point>
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
  if (files > 0)
    return t(files === 1 ? 'gate.effect.files.one' : 'gate.effect.files', { files, added, removed })
  if (call.reads.length > 0) return <Pieces text={t('gate.effect.reads', { paths: call.reads.join(', ') })} />
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
