import type { AgentNotice } from '../../../shared/domain/session/agent-notice.ts'
import type { ReviewReport } from '../../../shared/domain/session/agent-plan.ts'
import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type {
  AgentPlace,
  AgentStatus,
  AgentStep,
  AgentWaiting,
} from '../../../shared/domain/session/agent-step.ts'

/** Conditions that rows may name; `conditions.ts` defines them. */
export type Condition =
  | 'plan-filled-and-not-plan-mode'
  | 'plan-exists'
  | 'something-staged'
  | 'nothing-staged'
  | 'no-tools-used'
  | 'gate-open'
  | 'free'
  | 'more-gates'
  | 'not-plan-mode'
  | 'may-recover'
  | 'may-recover-and-decide'
  | 'may-decide'
  | 'continues-and-may-decide'
  | 'continues'
  | 'reply-asks'
  | 'is-busy'
  | 'awaits-answer'
  | 'apply-requested'
  | 'resumed'
  | 'plan-exists-and-free'
  | 'direct'
  | 'direct-and-more-gates'
  | 'direct-at-work'
  | 'direct-at-gate'

/** Cause of a row in T2: an event, subdivided by its content. */
export type Cause =
  | 'session.start'
  | 'user.reset'
  | 'user.message'
  | 'user.steer'
  | 'user.answer'
  | 'user.stop'
  | 'user.carry-out'
  | 'crash.resume'
  | 'decision.reply'
  | 'decision.work'
  | 'decision.check-failed'
  | 'decision.refused-twice'
  | 'decision.gate'
  | 'reply.finished'
  | 'reply.done'
  | 'work.finished'
  | 'direct.reply'
  | 'direct.review'
  | 'direct.staged'
  | 'direct.limit'
  | 'direct.silent'
  | 'direct.defer'
  | 'plan.risky'
  | 'question.asked'
  | 'review.approve'
  | 'review.revise'
  | 'review.reject'
  | 'consent.plan'
  | 'consent.denied'
  | 'gate.opened-calls'
  | 'gate.opened-plan'
  | 'gate.approved-calls'
  | 'gate.approved-plan'
  | 'gate.rejected'
  | 'gate.rejected-with-reason'
  | 'gate.rejected-plan-with-reason'
  | 'gate.renewed'
  | 'gate.void-calls'
  | 'gate.void-plan'
  | 'call.finished'
  | 'staged.applied'
  | 'staged.refused'
  | 'turn.adopted'
  | 'error'
  | 'recover'

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
 * What a row does besides moving the session. `turn.ended` and `reviewed` are recorded in the history with the move.
 * `unstage` drops the staged changes. `use-recovery` uses up one of the recoveries and gives the model's request back.
 */
export type Action =
  | { type: 'turn.ended'; how: TurnEnd }
  | { type: 'reviewed'; verdict: ReviewReport['verdict'] }
  | { type: 'archive-plan' }
  | { type: 'unstage' }
  | { type: 'use-recovery' }
  | { type: 'notice'; notice: AgentNotice }

export type TableRow<Id extends string = string> = {
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

/** The place that a row passes through. */
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
