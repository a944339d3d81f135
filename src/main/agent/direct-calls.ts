import type { AgentPlan, TodoList } from '../../shared/domain/session/agent-plan.ts'
import type { AgentState, CallAccess } from '../../shared/domain/session/agent-state.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import type { ProposedCall } from './agent-events.ts'
import { goTo, type StateUpdate, setPlan } from './state-update.ts'

type WorldProposal = Extract<ProposedCall, { kind: 'world' }>

/** Changes of more files than this are reviewed. Source: `docs/decisions/direct-path.md`, Review. */
const mostUnreviewedFiles = 5

/** True for a call that may change something: all but reads and commands that only read. */
export function isChange(call: { access: CallAccess; isReadOnly?: boolean | undefined }): boolean {
  return call.access === 'write' || (call.access === 'execute' && call.isReadOnly !== true)
}

/** Moves to EXECUTION for the first change of a turn; without a plan, derives one whose only step is this call. */
export function enterExecution(update: StateUpdate, call: WorldProposal): void {
  const { state } = update
  const text = clipLine(call.title ?? '', 100)
  if (state.plan === null)
    setPlan(update, derivedPlan(call.callId, text, [{ text, isDone: false }], call.access))
  if (state.step !== 'EXECUTION') goTo(state, { step: 'EXECUTION', status: state.status }, 'call/change')
  if (state.turn.reviewing === 'passed') state.turn.reviewing = 'none'
}

/**
 * True for an answer that puts questions aside and does nothing else: its text is the reply, step and plan stay.
 *
 * Source: `docs/decisions/direct-path.md`, The course.
 */
export function isDeferral(text: string, calls: readonly ProposedCall[]): boolean {
  const [call, ...others] = calls
  if (text === '' || others.length > 0 || call?.kind !== 'course') return false
  return (call.delta.open_questions ?? []).length > 0
}

/** True for an answer with text whose only call approves the review that is due: the text is the reply. */
export function isReviewedReply({ turn }: AgentState, text: string, calls: readonly ProposedCall[]): boolean {
  const [call, ...others] = calls
  if (turn.reviewing !== 'due' || text === '' || others.length > 0) return false
  return call?.kind === 'review' && call.report.verdict === 'approve'
}

/** Returns a plan that the host derives from the model's calls. No gate asks about it. */
export function derivedPlan(
  callId: string,
  title: string,
  todos: TodoList,
  access: 'read' | 'write' | 'execute' = 'write',
): AgentPlan {
  const kind = access === 'execute' ? 'run' : 'write'
  return {
    title,
    purpose: '',
    steps: [{ text: title, kind, path: null }],
    risk: 'low',
    successCriteria: '',
    callId,
    hash: '',
    todos,
    isDerived: true,
  }
}

/** True where the model stated a plan's risk above low, or many files changed; with `isWanted`, for every change. */
export function isReviewDue({ plan, turn }: AgentState, isWanted: boolean): boolean {
  if (turn.reviewing === 'passed') return false
  if (isWanted) return true
  const isRiskyPlan = plan !== null && plan.isDerived !== true && plan.risk !== 'low'
  return isRiskyPlan || turn.changedFiles.length > mostUnreviewedFiles
}

/** Records changed files, up to the number that makes a review due. */
export function countChanged(state: AgentState, paths: readonly string[]): void {
  const all = [...new Set([...state.turn.changedFiles, ...paths])]
  state.turn.changedFiles = all.slice(0, mostUnreviewedFiles + 1)
}
