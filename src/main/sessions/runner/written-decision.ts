import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { AgentDecision } from '../../../shared/domain/session/agent-decision.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import type { AgentEvent, ProposedCall } from '../../agent/agent-events.ts'
import { limitedDelta } from '../../agent/course.ts'
import { derivedDecision } from '../../agent/decision/derived-decision.ts'
import type { RawCall } from '../../tools/prepared-call.ts'
import type { LiveSession } from '../live-session.ts'

/** Length of the user's words that name a conversation. Units: graphemes. */
const referredLength = 100

/** A decision that was read from an answer, as an item of the conversation. */
type DecisionWritten = { itemId: string; decision: AgentDecision }

/** Records the decision that an answer contains. */
export function writeDecision(
  session: LiveSession,
  raw: readonly RawCall[],
  text: string,
  usage: ModelUsage | null,
): DecisionWritten {
  const decision = derivedDecision(session.state, raw, text)
  const own = text === '' ? usage : null
  const item = session.add({ kind: 'decision', decision, source: 'derived', isRepaired: false, usage: own })
  return { itemId: item.itemId, decision }
}

/** Adds to the recorded decision the changes that its calls make to the course. */
export function completeDecision(
  session: LiveSession,
  { itemId, decision }: DecisionWritten,
  calls: readonly ProposedCall[],
  isDeferred: boolean,
): void {
  const course = calls.find(({ kind }) => kind === 'course')
  if (course?.kind !== 'course') return
  const next_step = isDeferred ? 'defer' : decision.next_step
  const changed = { ...decision, next_step, state_delta: limitedDelta(course.delta) }
  session.change(itemId, 'decision', { decision: changed })
}

/** Records that something of this turn stays open. The user's words name it: they survive a compaction. */
export function turnReferred({ turn, state }: LiveSession): AgentEvent {
  const reference = `conversation:${turn} ${clipLine(state.turn.message, referredLength)}`
  return { type: 'reference.added', reference }
}
