import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import { isAppError } from '../../shared/errors.ts'
import { restoreAgentState } from '../agent/agent-machine.ts'
import { proposedPatterns } from '../agent/course.ts'
import type { GateContext } from '../gates/gate-service.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import type { LiveSession } from './live-session.ts'

/** Returns what windows see of a session's course. */
export function courseView(state: AgentState) {
  const { step, status, waiting, mode, course, pinned, plan, decisionLog, memory, gates } = state
  return {
    position: { step, status, waiting },
    mode,
    course,
    pinned,
    todos: plan?.todos ?? [],
    planTitle: plan?.title ?? null,
    decisionLog,
    learnedPatterns: memory.learnedPatterns,
    proposedPatterns: proposedPatterns(memory),
    openGates: gates.map(({ gateId }) => gateId),
  }
}

/** Returns the context in which consent is asked for the calls of a session in `root`. */
export function consentContext(
  session: Pick<LiveSession, 'sessionId' | 'workId' | 'language' | 'state'>,
  root: string,
): GateContext {
  const { sessionId, workId, language, state } = session
  return { sessionId, workId, root, language, mode: state.mode, task: taskOf(state) }
}

/** Returns the current task. A plan that only repeats the title of the turn's first change does not name the next. */
function taskOf({ plan, course }: LiveSession['state']): string {
  const isTitle = plan?.isDerived === true && plan.todos.every(({ text }) => text === plan.title)
  const step = isTitle ? undefined : plan?.todos.find((todo) => !todo.isDone)
  return step?.text ?? course.goal
}

/** True where a stored session has a gate about a call open. */
export function hasOpenGate(
  sessions: Pick<SessionRepository, 'get'>,
  sessionId: string,
  callId: string,
): boolean {
  try {
    const { gates } = restoreAgentState(sessions.get(sessionId).state).state
    return gates.some(({ items }) => items.some((item) => item.callId === callId))
  } catch (error) {
    if (isAppError(error, 'session/not-found')) return false
    throw error
  }
}
