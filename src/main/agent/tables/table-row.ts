import type { AgentNotice } from '../../../shared/domain/session/agent-notice.ts'
import type { ReviewReport } from '../../../shared/domain/session/agent-plan.ts'
import { type AgentState, counterLimits, type TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type {
  AgentPlace,
  AgentStatus,
  AgentStep,
  AgentWaiting,
} from '../../../shared/domain/session/agent-step.ts'

const mayDecide = (state: AgentState) => state.counters.decisions < counterLimits.decisions
const mayRecover = (state: AgentState) => state.counters.recoveries < counterLimits.recoveries

/** Conditions that rows may name. None is about consent, which never depends on a table. */
export const conditions = {
  'plan-filled-and-not-plan-mode': (state) => state.course.planBrief.length > 0 && state.mode !== 'plan',
  'plan-exists': (state) => state.plan !== null,
  'something-staged': (state) => state.staged !== null,
  'nothing-staged': (state) => state.staged === null,
  'no-tools-used': (state) => state.counters.calls === 0,
  'gate-open': (state) => state.gates.length > 0,
  free: (state) => state.gates.length === 0,
  'more-gates': (state) => state.gates.length > 1,
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
} satisfies Record<string, (state: AgentState) => boolean>
export type Condition = keyof typeof conditions

/** True while the next request of the same turn can include a user's message: it is in progress or waits at a gate. */
export function isSteerable(state: AgentState): boolean {
  if (conditions['direct-at-gate'](state)) return true
  return state.status === 'IN_PROGRESS' && conditions['direct-at-work'](state)
}

/** The letters of the specification's tables. */
const statusLetters = {
  P: 'IN_PROGRESS',
  S: 'SUCCESS',
  E: 'ERROR',
  U: 'REQUIRES_USER_INPUT',
} as const satisfies Record<string, AgentStatus>
type Letter = keyof typeof statusLetters

/** Steps that rows name together. `working`: all but AWAITING_APPROVAL; `side`: a gate does not change these steps. */
const stepGroups = {
  any: ['PLANNING', 'EXECUTION', 'REVIEW', 'AWAITING_APPROVAL'],
  working: ['PLANNING', 'EXECUTION', 'REVIEW'],
  side: ['PLANNING', 'REVIEW'],
  'PLANNING|EXECUTION': ['PLANNING', 'EXECUTION'],
  'EXECUTION|REVIEW': ['EXECUTION', 'REVIEW'],
} as const satisfies Record<string, readonly AgentStep[]>
type StepGroup = keyof typeof stepGroups

/** `EXECUTION/P`; `*` is any status. */
export type FromText = `${AgentStep | StepGroup}/${Letter | 'PU' | 'SU' | 'PSU' | '*'}`
/** `EXECUTION/P work`: step, status and what is waited for; `s` is the same step; `unchanged` keeps all three. */
export type ToText = `${AgentStep | 's'}/${Letter} ${AgentWaiting}` | 'unchanged'
/** `REVIEW/S`: a place that the history records and no session rests in. */
type ViaText = `${AgentStep | 's'}/${Letter}`

/**
 * The actions of a row besides moving the session. `turn.ended` and `reviewed` are recorded in the history with the
 * move. `adopt-end` ends the turn as the history of the speculation has recorded it. `unstage` drops the staged
 * changes. `use-recovery` uses up one of the recoveries and gives the model's request back.
 */
export type Action =
  | { type: 'turn.ended'; how: TurnEnd }
  | { type: 'reviewed'; verdict: ReviewReport['verdict'] }
  | { type: 'adopt-end' }
  | { type: 'archive-plan' }
  | { type: 'unstage' }
  | { type: 'use-recovery' }
  | { type: 'notice'; notice: AgentNotice }

/** `Cause`: an event, subdivided by its content. */
export type TableRow<Id extends string = string, Cause extends string = string> = {
  /** Recorded in the history. */
  id: Id
  causes: readonly Cause[]
  from: FromText
  to: ToText
  when?: Condition
  via?: ViaText
  /** Carried out in this order, after the session has moved. */
  actions: readonly Action[]
}

/** Returns whether a row applies to a place, apart from its condition. */
export function isFrom(row: TableRow, place: AgentPlace): boolean {
  const [steps, letters] = row.from.split('/') as [AgentStep | StepGroup, string]
  const group: readonly AgentStep[] = isGroup(steps) ? stepGroups[steps] : [steps]
  return group.includes(place.step) && (letters === '*' || letters.includes(letterOf(place.status)))
}

/** Returns where a row leads from a place; null where it changes nothing. */
export function targetOf(row: TableRow, step: AgentStep): (AgentPlace & { waiting: AgentWaiting }) | null {
  if (row.to === 'unchanged') return null
  const [place, waiting] = row.to.split(' ') as [ViaText, AgentWaiting]
  return { ...placeOf(place, step), waiting }
}

export function viaOf(row: TableRow, step: AgentStep): AgentPlace | null {
  return row.via === undefined ? null : placeOf(row.via, step)
}

function placeOf(text: ViaText, step: AgentStep): AgentPlace {
  const [name, letter] = text.split('/') as [AgentStep | 's', Letter]
  return { step: name === 's' ? step : name, status: statusLetters[letter] }
}

function letterOf(status: AgentStatus): string {
  return Object.entries(statusLetters).find(([, value]) => value === status)?.[0] ?? ''
}

function isGroup(text: string): text is StepGroup {
  return text in stepGroups
}
