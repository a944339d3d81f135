import type { GateView } from '../../../shared/domain/session/gate.ts'
import { useWords } from '../../state/store-context.tsx'
import { GateHeader, useGateTitle } from './gate-header.tsx'

/** A gate behind another one: it says what it will ask, and that it is not its turn. */
export function WaitingGate({ gate }: { gate: GateView }) {
  const { t } = useWords()
  const title = useGateTitle(gate)
  return (
    <section className="gate gate-waiting" aria-label={t('gate.region', { title })}>
      <GateHeader gate={gate} hasSubject />
      <p className="gate-note">{t('gate.waits')}</p>
    </section>
  )
}
