import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import type { StateDelta } from '../../shared/domain/session/agent-decision.ts'
import { type AgentState, counterLimits } from '../../shared/domain/session/agent-state.ts'
import type { ProposedCall } from './agent-events.ts'
import { askPlan, fail, needsGate, pump, writeTodos } from './call-queue.ts'
import { applyStateDelta, withLine } from './course.ts'
import { enterExecution, isChange } from './direct-calls.ts'
import { goTo, notice, result, type StateUpdate, setPlan, takeCourse } from './state-update.ts'

/**
 * Refuses the calls of an answer that the step or the mode forbids and asks the gate service about the others. Each
 * call has its own result. An answer counts as an error only where none of its calls could be used. `goOn` is called
 * after them.
 */
export function takeCalls(
  update: StateUpdate,
  calls: readonly ProposedCall[],
  goOn: (update: StateUpdate) => unknown = pump,
): void {
  const { state } = update
  const asked: string[] = []
  let invalid = 0
  const beginsTask = mayBeginTask(state, calls)
  for (const [index, call] of calls.entries()) {
    if (state.counters.calls >= counterLimits.calls) {
      for (const late of calls.slice(index)) result(update, late.callId, 'call-cap')
      fail(update, 'call-cap')
      return
    }
    state.counters.calls += 1
    const outcome = refusalOf(state, call, calls.slice(0, index))
    if (outcome !== null) result(update, call.callId, outcome)
    if (outcome === 'invalid') invalid += 1
    if (outcome === 'plan-mode') state.turn.isChangeRefused = true
    if (outcome === null && takeCall(update, call, beginsTask)) asked.push(call.callId)
  }
  state.counters.invalidAnswers = invalid === calls.length ? state.counters.invalidAnswers + 1 : 0
  if (state.counters.invalidAnswers >= counterLimits.invalidAnswers) {
    fail(update, 'invalid-calls')
    return
  }
  // On the direct path a plan is asked about before the calls that stand beside it.
  if (state.turn.isDirect && state.turn.hasProposedPlan && askPlan(update)) return
  if (asked.length > 0) update.effects.push({ type: 'consent.ask', callIds: asked })
  goOn(update)
}

type Refusal = 'invalid' | 'duplicate' | 'wrong-step' | 'read-only-step' | 'plan-mode'

function refusalOf(state: AgentState, call: ProposedCall, before: readonly ProposedCall[]): Refusal | null {
  const isKnown = (other: { callId: string }) => other.callId === call.callId
  if (before.some(isKnown) || state.calls.some(isKnown)) return 'duplicate'
  switch (call.kind) {
    case 'invalid':
      return 'invalid'
    case 'plan':
      return state.turn.isDirect || state.step === 'PLANNING' || mayPlanAnew(state) ? null : 'wrong-step'
    case 'review':
      return state.step === 'REVIEW' ? null : 'wrong-step'
    case 'todo':
      return state.plan === null && !state.turn.isDirect ? 'wrong-step' : null
    case 'question':
    case 'boundary':
      return null
    case 'course':
      return state.turn.isDirect ? null : 'wrong-step'
    case 'world': {
      if (isChange(call) && state.mode === 'plan') return 'plan-mode'
      if (state.turn.isDirect) return null
      if (isChange(call) && state.step === 'PLANNING') return 'read-only-step'
      return call.access === 'write' && state.step === 'REVIEW' ? 'read-only-step' : null
    }
  }
}

/** True where the user's message may be about another task than the present one. */
function mayPlanAnew({ step, turn }: AgentState): boolean {
  return turn.isResumed && (step === 'EXECUTION' || step === 'REVIEW')
}

/** Records a call. Returns true for one that the gate service is asked about, or told of as a boundary. */
function takeCall(update: StateUpdate, call: ProposedCall, beginsTask: boolean): boolean {
  const { state } = update
  switch (call.kind) {
    case 'world': {
      const { kind, callId, access, hash } = call
      const reads = access === 'execute' && call.isReadOnly ? { isReadOnly: true as const } : {}
      // The call continues the present task: from now on no new plan may be proposed for it.
      if (state.turn.isDirect ? isChange(call) : access !== 'read') state.turn.isResumed = false
      const isHeld = state.turn.hasProposedPlan && needsGate(state)
      if (state.turn.isDirect && isChange(call) && !isHeld) enterExecution(update, call)
      state.calls.push({ kind, callId, access, hash, ...reads, stage: 'asked', record: null })
      return true
    }
    case 'boundary':
      state.calls.push({ kind: 'boundary', callId: call.callId, stage: 'waiting' })
      return true
    case 'question':
      state.calls.push({ kind: 'question', callId: call.callId, question: call.question, stage: 'ready' })
      return false
    case 'plan': {
      if (state.step !== 'PLANNING')
        goTo(state, { step: 'PLANNING', status: state.status }, 'call/propose_plan')
      Object.assign(state.turn, { isResumed: false, hasChanged: false })
      const todos = call.proposal.steps.map((step) => ({ text: step.text, isDone: false }))
      setPlan(update, { ...call.proposal, callId: call.callId, hash: call.hash, todos })
      state.contextRefs = withLine(state.contextRefs, `plan:${call.proposal.title}`, courseLimits.contextRefs)
      state.turn.hasProposedPlan = true
      break
    }
    case 'review':
      state.turn.review = call.report
      break
    case 'course':
      takeDelta(update, call.delta, beginsTask)
      break
    case 'todo':
      // The list may report on calls before it in the same answer, so it waits until they have succeeded.
      if (state.calls.length > 0) state.calls.push({ ...call, stage: 'ready' })
      else writeTodos(update, call)
      return false
    case 'invalid':
      return false
  }
  result(update, call.callId, 'accepted')
  return false
}

/**
 * True where another goal in this answer begins another task: in the first answer to a message, unless that message
 * goes on with the present task and no new plan is proposed for it.
 */
function mayBeginTask({ counters, turn }: AgentState, calls: readonly ProposedCall[]): boolean {
  return counters.calls === 0 && (!turn.isResumed || calls.some(({ kind }) => kind === 'plan'))
}

/** Applies a delta to the course. Without a goal, the user's message becomes it; a plan of the same answer stays. */
function takeDelta(update: StateUpdate, delta: StateDelta, beginsTask: boolean): void {
  const { state } = update
  const { goal, openQuestions } = state.course
  const message = state.turn.message === '' ? null : state.turn.message
  const hasOwnPlan = state.turn.hasProposedPlan || state.plan?.isDerived === true
  const filled = { ...delta, goal: delta.goal ?? (goal === '' ? message : null) }
  takeCourse(update, applyStateDelta(state, filled, beginsTask && !hasOwnPlan))
  const added = state.course.openQuestions.filter((question) => !openQuestions.includes(question))
  for (const question of added) notice(update, { kind: 'question-deferred', question })
}
