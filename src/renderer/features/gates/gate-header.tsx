import type { GateView } from '../../../shared/domain/session/gate.ts'
import { useWords } from '../../state/store-context.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { gateSubject, gateTitle } from './gate-facts.ts'

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

/** The subject of a gate in one line. A long name is clipped, and the number of further ones stays visible. */
export function GateSubject({ gate }: { gate: GateView }) {
  const { t } = useWords()
  const { first, more } = gateSubject(gate)
  return (
    <span className="gate-subject">
      <span className="gate-subject-first clip">
        <Pieces text={first} />
      </span>
      {more > 0 && (
        <>
          {' '}
          <span>{t('gate.subject.more', { count: more })}</span>
        </>
      )}
    </span>
  )
}
