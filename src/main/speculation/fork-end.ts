import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'

/** A fork, with the number of its last transition and of its prompt's entries when it began. */
export type ForkCourse = {
  state: AgentState
  log: readonly PromptEntry[]
  from: { transitions: number; entries: number }
}

export function lastTransition({ history }: AgentState): number {
  return history.at(-1)?.seq ?? 0
}

/** True where a review did not approve: a speculation does not go on after that. */
export function hasRefusedReview({ state, from }: ForkCourse): boolean {
  return state.history.some(
    ({ seq, review }) => seq > from.transitions && review !== undefined && review !== 'approve',
  )
}

/**
 * Returns how a fork that has stopped has ended; null where it is complete. Only the model's closing text or its
 * approving review completes it.
 *
 * Source: `docs/decisions/speculation.md`, Loop.
 */
export function endOf(course: ForkCourse): SpeculationBoundary | null {
  const { state } = course
  const last = state.history.findLast(({ seq }) => seq > course.from.transitions)
  if (hasRefusedReview(course)) return boundary('review')
  if (state.waiting === 'answer') return questionOf(state)
  if (last?.review === 'approve') return null
  // A decision may request the gate of the changes, too.
  if (state.turn.gateRequest !== null || state.gates.length > 0) return boundary('gate')
  return hasLastWord(course) ? null : boundary('empty')
}

function hasLastWord({ log, from }: ForkCourse): boolean {
  const last = log.slice(from.entries).at(-1)
  const isAnswer = last?.kind === 'reply' || last?.kind === 'work'
  return isAnswer && last.text.trim() !== '' && (last.calls ?? []).length === 0
}

function questionOf({ calls }: AgentState): SpeculationBoundary {
  const asked = calls.find((call) => call.kind === 'question' && call.stage === 'running')
  if (asked?.kind !== 'question') return boundary('question')
  return { kind: 'question', callId: asked.callId, title: asked.question }
}

function boundary(kind: SpeculationBoundary['kind']): SpeculationBoundary {
  return { kind, callId: null, title: '' }
}
