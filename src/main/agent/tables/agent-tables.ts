import type { NextStep, PromptPattern } from '../../../shared/domain/session/agent-decision.ts'
import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type { AgentStep } from '../../../shared/domain/session/agent-step.ts'
import type { Action, Condition, FromText, TableRow, ToText } from './table-row.ts'

/** The answer to a model that asks for a step. `gate`: a gate is asked for; the step changes when it opens. */
type ModelCell = { answer: 'stay' | 'refused' | 'go' | 'gate'; when?: Condition }

const refused: ModelCell = { answer: 'refused' }
const stay: ModelCell = { answer: 'stay' }

/**
 * T1: which step the model may ask for, from which. Its column `done` stands in the host's table (`reply.done`).
 *
 * Source: `docs/decisions/sessions.md`, T1.
 */
export const modelTable: Record<AgentStep, Record<AgentStep, ModelCell>> = {
  PLANNING: {
    PLANNING: stay,
    EXECUTION: { answer: 'go', when: 'plan-filled-and-not-plan-mode' },
    REVIEW: { answer: 'go', when: 'plan-exists' },
    AWAITING_APPROVAL: { answer: 'gate', when: 'plan-exists' },
  },
  EXECUTION: {
    // Ours: the user's message may be about another task than the one that was stopped.
    PLANNING: { answer: 'go', when: 'resumed' },
    EXECUTION: stay,
    REVIEW: { answer: 'go' },
    AWAITING_APPROVAL: { answer: 'gate', when: 'something-staged' },
  },
  REVIEW: {
    PLANNING: { answer: 'go', when: 'resumed' },
    EXECUTION: { answer: 'go' },
    REVIEW: stay,
    AWAITING_APPROVAL: { answer: 'gate', when: 'something-staged' },
  },
  AWAITING_APPROVAL: { PLANNING: refused, EXECUTION: refused, REVIEW: refused, AWAITING_APPROVAL: stay },
}

/**
 * What a decision leads to. `reply` ends the turn; `question`: a reply that asks one; `defer`: one line, the
 * message becomes an open question; `ending`: a reply, then `done`; `work`: the specialised call of the step.
 */
export type Dispatch = 'reply' | 'question' | 'defer' | 'ending' | 'work'

/**
 * T3: the dispatch of a decision after T1.
 *
 * Source: `docs/decisions/sessions.md`, T3.
 */
export const dispatchTable: Record<NextStep, Record<PromptPattern, Dispatch>> = {
  continue: { base_main: 'reply', base_main_specialized: 'work' },
  pending_user: { base_main: 'question', base_main_specialized: 'question' },
  defer: { base_main: 'defer', base_main_specialized: 'defer' },
  done: { base_main: 'ending', base_main_specialized: 'work' },
}

type More = Partial<Pick<TableRow, 'when' | 'via' | 'actions'>>
function row<const Id extends string, const Cause extends string>(
  id: Id,
  causes: Cause | readonly Cause[],
  from: FromText,
  to: ToText,
  more: More = {},
): TableRow<Id, Cause> {
  return { id, causes: [causes].flat() as Cause[], from, to, actions: [], ...more }
}

const ends = (how: TurnEnd): Action => ({ type: 'turn.ended', how })
const approves: Action = { type: 'reviewed', verdict: 'approve' }
const archivePlan: Action = { type: 'archive-plan' }
const unstage: Action = { type: 'unstage' }
const useRecovery: Action = { type: 'use-recovery' }
const noMoreRecoveries: Action = { type: 'notice', notice: { kind: 'limit', limit: 'recoveries' } }
const noMoreRequests: Action = { type: 'notice', notice: { kind: 'limit', limit: 'requests' } }
const noMoreDecisions: Action = { type: 'notice', notice: { kind: 'limit', limit: 'decisions' } }

/**
 * T2: what the host's events do. The first row that fits counts; where none fits, nothing changes.
 *
 * Source: `docs/decisions/sessions.md`, T2. Rows marked *ours* close what the tables leave open.
 */
export const hostTable = [
  row('user.reset/busy', 'user.reset', 'any/*', 'PLANNING/P none', {
    when: 'is-busy',
    actions: [ends('stopped')],
  }),
  row('user.reset', 'user.reset', 'any/*', 'PLANNING/P none'),

  // On the direct path the message stands in the next request of the turn.
  row('user.steer/direct', 'user.steer', 'working/P', 'unchanged', { when: 'direct-at-work' }),
  row('user.steer/gate', 'user.steer', 'any/U', 'unchanged', { when: 'direct-at-gate' }),
  row('user.message', ['user.message', 'user.steer'], 'working/*', 's/P decision', { when: 'free' }),
  row('user.message/gate', ['user.message', 'user.steer'], 'any/U', 'unchanged', { when: 'gate-open' }),

  row('decision.reply', 'decision.reply', 'working/P', 's/P reply'),
  row('decision.work', 'decision.work', 'working/P', 's/P work'),
  row('decision.check-failed', 'decision.check-failed', 'working/P', 's/P reply'),
  row('decision.refused-twice', 'decision.refused-twice', 'working/P', 's/U none', {
    actions: [ends('limit')],
  }),
  row('decision.gate', ['decision.gate', 'plan.risky'], 'working/P', 's/P gate'),

  row('reply.finished/question', 'reply.finished', 'working/P', 's/U none', {
    when: 'reply-asks',
    actions: [ends('asked')],
  }),
  row('reply.finished', 'reply.finished', 'working/P', 's/U none', { actions: [ends('replied')] }),
  row('reply.done/planning', 'reply.done', 'PLANNING/P', 'PLANNING/S none', {
    when: 'no-tools-used',
    actions: [ends('done')],
  }),
  row('reply.done/review', 'reply.done', 'REVIEW/P', 'PLANNING/S none', {
    via: 'REVIEW/S',
    actions: [archivePlan, ends('done')],
  }),
  row('reply.done', 'reply.done', 'PLANNING|EXECUTION/P', 's/U none', { actions: [ends('replied')] }),

  // The direct path: the model's calls are its decision, and its text without calls is the reply.
  row('direct.reply/resumed', 'direct.reply', 'EXECUTION|REVIEW/P', 's/U none', {
    when: 'resumed',
    actions: [ends('replied')],
  }),
  row('direct.reply/changed', 'direct.reply', 'REVIEW/P', 'PLANNING/S none', {
    via: 's/S',
    actions: [archivePlan, ends('done')],
  }),
  row('direct.reply', 'direct.reply', 'PLANNING/P', 'PLANNING/S none', { actions: [ends('replied')] }),
  row('direct.review', 'direct.review', 'REVIEW/P', 's/P work'),
  // Of staged changes, the closing text is the approving review.
  row('direct.staged', 'direct.staged', 'REVIEW/P', 's/P gate', { actions: [approves] }),
  row('direct.limit', 'direct.limit', 'working/P', 's/U none', { actions: [ends('limit'), noMoreRequests] }),
  row('direct.silent', 'direct.silent', 'working/P', 's/U none', { actions: [ends('replied')] }),
  // The model puts a question aside: step and plan stay.
  row('direct.defer', 'direct.defer', 'working/P', 's/U none', { actions: [ends('replied')] }),
  row('consent.plan/direct', 'consent.plan', 'PLANNING/P', 'EXECUTION/P work', { when: 'direct' }),

  row('work.planning/on', ['work.finished', 'consent.plan'], 'PLANNING/P', 's/P decision', {
    when: 'continues-and-may-decide',
    via: 's/S',
  }),
  row('work.planning/limit', 'work.finished', 'PLANNING/P', 's/U none', {
    when: 'continues',
    via: 's/S',
    actions: [ends('limit'), noMoreDecisions],
  }),
  row('work.planning', ['work.finished', 'consent.plan'], 'PLANNING/P', 's/U none', {
    via: 's/S',
    actions: [ends('replied')],
  }),
  row('work.execution', 'work.finished', 'EXECUTION/P', 'REVIEW/P work', { via: 's/S' }),
  // Ours: REVIEW's work that ends without a verdict must not be waited for.
  row('work.review', 'work.finished', 'REVIEW/P', 's/U none', {
    actions: [ends('replied'), { type: 'notice', notice: { kind: 'no-verdict' } }],
  }),
  row('question.asked', 'question.asked', 'working/P', 's/U answer', { actions: [ends('asked')] }),
  row('user.answer', 'user.answer', 'working/U', 's/P work', { when: 'awaits-answer' }),

  row('review.approve', 'review.approve', 'REVIEW/P', 'PLANNING/S none', {
    when: 'nothing-staged',
    via: 's/S',
    actions: [approves, archivePlan, ends('done')],
  }),
  row('review.approve/staged', 'review.approve', 'REVIEW/P', 's/P gate', {
    when: 'something-staged',
    actions: [approves],
  }),
  row('review.revise', 'review.revise', 'REVIEW/P', 'EXECUTION/P work', {
    when: 'may-recover',
    actions: [{ type: 'reviewed', verdict: 'revise' }, useRecovery],
  }),
  row('review.revise/again', 'review.revise', 'REVIEW/P', 's/U none', {
    actions: [{ type: 'reviewed', verdict: 'revise' }, ends('limit'), noMoreRecoveries],
  }),

  row('gate.opened/calls', 'gate.opened-calls', 'EXECUTION/P', 'AWAITING_APPROVAL/U gate', {
    actions: [ends('waits-at-gate')],
  }),
  row('gate.opened/side', 'gate.opened-calls', 'side/P', 's/U gate', {
    actions: [ends('waits-at-gate')],
  }),
  row('gate.opened/queued', 'gate.opened-calls', 'any/U', 'unchanged', { when: 'gate-open' }),
  row('gate.opened/plan', 'gate.opened-plan', 'PLANNING/P', 'AWAITING_APPROVAL/U gate', {
    actions: [ends('waits-at-gate')],
  }),

  // Ours: an accepted speculation ends the task where its review has approved it; else the session goes on from it.
  row('staged.accepted/reviewed', 'staged.accepted', 'working/P', 'PLANNING/S none', {
    when: 'apply-requested',
    via: 's/S',
    actions: [unstage, archivePlan, ends('done')],
  }),
  row('staged.accepted', 'staged.accepted', 'working/P', 'unchanged', { when: 'free', actions: [unstage] }),
  row('staged.accepted/ended', 'staged.accepted', 'working/SU', 'unchanged', {
    when: 'free',
    actions: [unstage, { type: 'adopt-end' }],
  }),
  // Ours: a rule that denies a plan ends the turn.
  row('consent.denied', 'consent.denied', 'working/P', 's/U none', { actions: [ends('limit')] }),

  row('gate.approved/more', 'gate.approved-calls', 'any/U', 'unchanged', { when: 'more-gates' }),
  row('gate.approved/calls', 'gate.approved-calls', 'AWAITING_APPROVAL/U', 'EXECUTION/P work'),
  row('gate.approved/side', 'gate.approved-calls', 'side/U', 's/P work'),
  // Ours: in mode `plan` the user's approval leaves the mode, and the turn goes on.
  row('gate.approved/plan', 'gate.approved-plan', 'AWAITING_APPROVAL/U', 'EXECUTION/P work'),

  // On the direct path the user's reason is the result of the refused call or plan, and the same turn goes on.
  row(
    'gate.rejected/direct-more',
    ['gate.rejected-with-reason', 'gate.rejected-plan-with-reason'],
    'AWAITING_APPROVAL/U',
    'unchanged',
    { when: 'direct-and-more-gates' },
  ),
  row('gate.rejected/direct', 'gate.rejected-with-reason', 'AWAITING_APPROVAL/U', 'EXECUTION/P work', {
    when: 'direct',
  }),
  row(
    'gate.rejected/direct-plan',
    'gate.rejected-plan-with-reason',
    'AWAITING_APPROVAL/U',
    'PLANNING/P work',
    { when: 'direct' },
  ),
  row(
    'gate.rejected/reason',
    ['gate.rejected-with-reason', 'gate.rejected-plan-with-reason'],
    'AWAITING_APPROVAL/U',
    'PLANNING/P decision',
    {
      when: 'may-recover-and-decide',
      actions: [useRecovery],
    },
  ),
  row(
    'gate.rejected/limit',
    ['gate.rejected-with-reason', 'gate.rejected-plan-with-reason'],
    'AWAITING_APPROVAL/U',
    'PLANNING/U none',
    { actions: [ends('limit'), noMoreRecoveries] },
  ),
  row('gate.rejected', 'gate.rejected', 'AWAITING_APPROVAL/U', 'PLANNING/U none', {
    actions: [ends('stopped')],
  }),
  row('gate.rejected/more', ['gate.rejected', 'gate.rejected-with-reason'], 'side/U', 'unchanged', {
    when: 'more-gates',
  }),
  row('gate.rejected/side', ['gate.rejected', 'gate.rejected-with-reason'], 'side/U', 's/P work'),

  row('gate.void/renewed', 'gate.renewed', 'any/U', 'unchanged', { when: 'gate-open' }),
  row('gate.void/more', 'gate.void-calls', 'any/U', 'unchanged', { when: 'more-gates' }),
  row('gate.void', 'gate.void-calls', 'AWAITING_APPROVAL/U', 'EXECUTION/P work'),
  // Ours: a void plan leads back to planning, never to work; the gate of another step back to that step.
  row('gate.void/plan', 'gate.void-plan', 'AWAITING_APPROVAL/U', 'PLANNING/P decision', {
    when: 'may-decide',
  }),
  row('gate.void/plan-again', 'gate.void-plan', 'AWAITING_APPROVAL/U', 'PLANNING/U none', {
    actions: [ends('limit')],
  }),
  row('gate.void/side', 'gate.void-calls', 'side/U', 's/P work'),

  // A tool that failed is a result for the model like any other: no ERROR.
  row('call.finished', 'call.finished', 'any/*', 'unchanged'),

  row('turn.adopted', 'turn.adopted', 'working/P', 'unchanged', { when: 'free' }),

  // Ours: the exit from mode `plan` where no gate asks.
  row('user.carry-out/plan', 'user.carry-out', 'PLANNING/SU', 'EXECUTION/P work', {
    when: 'plan-exists-and-free',
  }),
  row('user.carry-out', 'user.carry-out', 'working/SU', 's/P decision', { when: 'free' }),

  row('user.stop', 'user.stop', 'working/PU', 's/U none', {
    when: 'is-busy',
    actions: [ends('stopped')],
  }),
  row('user.stop/rest', 'user.stop', 'working/PU', 's/U none'),
  row('user.stop/approval', 'user.stop', 'AWAITING_APPROVAL/U', 'PLANNING/U none', {
    actions: [ends('stopped')],
  }),
  row('crash.resume/gate', 'crash.resume', 'any/U', 'unchanged', { when: 'gate-open' }),
  row('crash.resume', 'crash.resume', 'working/P', 's/U none', {
    when: 'is-busy',
    actions: [ends('failed')],
  }),
]

/**
 * What failures do: the only entries into ERROR, and the host's exit.
 *
 * Source: `docs/decisions/sessions.md`, T2 (error, recover, review reject) and point 9;
 * `docs/decisions/speculation.md`, Accepting, 6.
 */
export const errorTable = [
  row('error', 'error', 'working/P', 's/E none'),
  // Nothing tries it again by itself.
  row('error/final', 'error.final', 'working/P', 's/E none', { actions: [ends('failed')] }),
  row('review.reject', 'review.reject', 'REVIEW/P', 's/E none', {
    actions: [{ type: 'reviewed', verdict: 'reject' }],
  }),
  // Staged changes that are refused as a whole are a rejected review.
  row('staged.refused', 'staged.refused', 'working/PSU', 'REVIEW/E none', {
    when: 'free',
    actions: [unstage],
  }),
  row('recover', 'recover', 'working/E', 'PLANNING/P decision', {
    when: 'may-recover-and-decide',
    actions: [useRecovery],
  }),
  row('recover/again', 'recover', 'working/E', 'PLANNING/U none', {
    actions: [ends('limit'), noMoreRecoveries],
  }),
]

/** The id of a table's row; the history records it as the cause of a transition. */
export type RowId = (typeof hostTable | typeof errorTable)[number]['id']
/** The key of a row: an event of the machine, and what distinguishes its cases. */
export type Cause = (typeof hostTable | typeof errorTable)[number]['causes'][number]
