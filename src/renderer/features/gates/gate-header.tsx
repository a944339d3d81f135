import type { GateView } from '../../../shared/domain/session/gate.ts'
import { useWords } from '../../state/store-context.tsx'
import { gateTitle } from './gate-facts.ts'
import { GateSubject } from './gate-subject.tsx'

/** The title and the risk of a gate, in words. `hasSubject`: names the subject, where nothing below does. */
export function GateHeader({ gate, hasSubject }: { gate: GateView; hasSubject: boolean }) {
  const { t, language } = useWords()
  const { key, values } = gateTitle(gate)
  const { level } = gate.risk
  const colon = language === 'ja' ? '：' : ': '
  return (
    <header className="gate-header">
      <b>{t(key, values)}</b>
      <span className={`gate-risk gate-risk-${level}`}>
        {t('gate.risk')}
        {colon}
        {t(`gate.risk.${level}`)}
      </span>
      {hasSubject && <GateSubject gate={gate} />}
    </header>
  )
}

/** The title as one text, for names of regions and notices. */
export function useGateTitle(gate: GateView): string {
  const { t } = useWords()
  const { key, values } = gateTitle(gate)
  return t(key, values)
}
