import type { GateView } from '../../../shared/domain/session/gate.ts'
import { useWords } from '../../state/store-context.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { gateSubject } from './gate-facts.ts'

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
