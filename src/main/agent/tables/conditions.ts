import { type AgentState, counterLimits } from '../../../shared/domain/session/agent-state.ts'
import type { Condition } from './table-row.ts'

const mayDecide = (state: AgentState) => state.counters.decisions < counterLimits.decisions
const mayRecover = (state: AgentState) => state.counters.recoveries < counterLimits.recoveries

/** Definitions of the tables' conditions. None is about consent, which never depends on a table. */
export const conditions: Record<Condition, (state: AgentState) => boolean> = {
  'plan-filled-and-not-plan-mode': (state) => state.course.planBrief.length > 0 && state.mode !== 'plan',
  'plan-exists': (state) => state.plan !== null,
  'something-staged': (state) => state.staged !== null,
  'nothing-staged': (state) => state.staged === null,
  'no-tools-used': (state) => state.counters.calls === 0,
  'gate-open': (state) => state.gates.length > 0,
  free: (state) => state.gates.length === 0,
  'more-gates': (state) => state.gates.length > 1,
  'not-plan-mode': (state) => state.mode !== 'plan',
  'may-recover': mayRecover,
  'may-decide': mayDecide,
  'may-recover-and-decide': (state) => mayRecover(state) && mayDecide(state),
  'continues-and-may-decide': (state) => state.turn.isContinued && mayDecide(state),
  continues: (state) => state.turn.isContinued,
  'reply-asks': (state) => state.turn.reply?.kind === 'question',
  'is-busy': (state) => state.waiting !== 'none',
  'awaits-answer': (state) => state.waiting === 'answer',
  resumed: (state) => state.turn.isResumed,
  'plan-exists-and-free': ({ plan, gates }) => plan !== null && plan.isDerived !== true && gates.length === 0,
  direct: (state) => state.turn.isDirect,
  'direct-at-work': ({ turn, waiting, gates }) => turn.isDirect && waiting === 'work' && gates.length === 0,
  'direct-at-gate': ({ turn, gates }) => turn.isDirect && gates.length > 0,
  'direct-and-more-gates': (state) => state.turn.isDirect && state.gates.length > 1,
  'apply-requested': (state) => state.turn.gateRequest === 'apply',
}
