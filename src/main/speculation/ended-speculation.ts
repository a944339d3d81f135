import type { SpeculationEnded, SpeculationEvent } from '../../shared/domain/session/speculation.ts'
import type { SpeculationLink } from './speculation-link.ts'

/** Work that has stopped is dropped without a word for these reasons: they are the user's own act. */
const quietReasons: ReadonlySet<string> = new Set([
  'superseded',
  'ignored',
  'rerun',
  'left',
  'run_active',
  'message_queued',
  'session_closed',
  'setting_off',
  'paused',
  'no_window',
  'driven_by_program',
  'not_after_turn',
  'early_conversation',
])

/** Says what the user is told of a link that is dropped; null where they know, or had seen nothing of it. */
export function endedSpeculation(
  link: SpeculationLink,
  outcome: SpeculationEvent['outcome'],
  reason: string | null,
): SpeculationEnded | null {
  const { speculationId, text, run } = link
  const isFailed = outcome === 'failed'
  const wasSeen = isFailed || link.hasStopped || link.acceptance.isUnderWay || reason === 'lost'
  if (outcome === 'rejected' || !wasSeen || quietReasons.has(reason ?? '')) return null
  return {
    speculationId,
    text,
    reason: isFailed ? 'failed' : (reason ?? outcome),
    error: isFailed ? run.failure : null,
  }
}
