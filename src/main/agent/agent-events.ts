import type {
  AgentGate,
  DecisionRecord,
  GateAnswer,
  GateItem,
  StandingConsent,
} from '../../shared/domain/session/agent-consent.ts'
import type { CourseEdit } from '../../shared/domain/session/agent-course.ts'
import type { AgentDecision, StateDelta } from '../../shared/domain/session/agent-decision.ts'
import type { AgentFailure, AgentNotice, CallOutcome } from '../../shared/domain/session/agent-notice.ts'
import type { PlanProposal, ReviewReport, TodoList } from '../../shared/domain/session/agent-plan.ts'
import type { AgentReply, CallAccess, TurnEnd } from '../../shared/domain/session/agent-state.ts'
import type { AgentMode, AgentStep } from '../../shared/domain/session/agent-step.ts'

/**
 * A call as the runner passes it to the machine: parsed by its tool's schema and classified by the host's rules, never
 * by the model. `invalid`: a call that no tool accepts; `boundary`: a call that a speculation does not make.
 *
 * Shape: `callId` is the host's own, unique in the session. `hash` is of what would be done: the bytes, the
 * command, the plan. `isReadOnly` is the finding of the read-only check, for commands.
 */
export type ProposedCall =
  | { kind: 'world'; callId: string; access: CallAccess; isReadOnly: boolean; hash: string; title?: string }
  | { kind: 'plan'; callId: string; hash: string; proposal: PlanProposal }
  | { kind: 'review'; callId: string; report: ReviewReport }
  | { kind: 'todo'; callId: string; todos: TodoList }
  | { kind: 'question'; callId: string; question: string }
  | { kind: 'boundary'; callId: string }
  /** A call of `update_course`. Only on the direct path; on the other path a decision record holds the delta. */
  | { kind: 'course'; callId: string; delta: StateDelta }
  | { kind: 'invalid'; callId: string }

/** Events that come from the model. Only their shape is trusted. */
type ModelEvent =
  | { type: 'model.decided'; requestId: number; decision: AgentDecision }
  | { type: 'model.called'; requestId: number; calls: ProposedCall[] }
  /**
   * An answer on the direct path, without a separate decision: text, calls, both or neither. `text`: its first line.
   * `isSteered`: the user has sent a message since the request. `isReviewed`: the user wants a review of every change.
   */
  | {
      type: 'model.answered'
      requestId: number
      text: string
      calls: ProposedCall[]
      isSteered?: boolean
      isReviewed?: boolean
      /** The folder's checks that are due where this answer ends the turn. */
      checks?: ProposedCall[]
    }
  /** The open request for a decision becomes a request for an answer on the direct path. */
  | { type: 'model.direct'; requestId: number }
  | { type: 'reply.finished'; requestId: number }
  /** A specialised answer without calls. */
  | { type: 'work.finished'; requestId: number }

type UserEvent =
  | { type: 'user.message'; text: string }
  | { type: 'user.steer'; text: string }
  /** `text` as the model reads it. */
  | { type: 'user.answer'; callId: string; text: string }
  | { type: 'user.stop' }
  | { type: 'user.reset' }
  | { type: 'user.mode'; mode: AgentMode }
  /** Leaves plan mode for the mode before it and carries out the plan. */
  | { type: 'user.carry-out' }
  | { type: 'user.course'; edit: CourseEdit }
  /** The user has changed what the assistant wrote. `texts`: what to remember of it, a line each. */
  | { type: 'user.corrected'; texts: readonly string[] }
  /** The answers name every item of the gate. */
  | { type: 'gate.approved'; gateId: string; answers: GateAnswer[] }
  | { type: 'gate.rejected'; gateId: string; reason: string | null }

type HostEvent =
  | { type: 'crash.resume' }
  /** The gate service lets calls pass without a question. */
  | { type: 'consent.granted'; records: StandingConsent[] }
  | { type: 'consent.denied'; callIds: string[]; reason: string }
  | { type: 'gate.opened'; gate: AgentGate }
  /** The files changed meanwhile. `items`: the items to ask about now; null: none of them applies any more. */
  | { type: 'gate.void'; gateId: string; items: GateItem[] | null }
  /** `changed`: the files that the call changed. `hasProblems`: a check of the folder found new problems. */
  | {
      type: 'call.finished'
      callId: string
      isOk: boolean
      changed?: readonly string[]
      hasProblems?: boolean
    }
  /** A speculation stops at a call that ran and of which nothing is kept. */
  | { type: 'call.left'; callId: string }
  | { type: 'staged.changed'; staged: GateItem | null }
  /**
   * A speculation that had stopped was accepted. Its changes, where it has any, are in the folder. `boundary`: the call
   * that it stopped at; those behind it were never made.
   */
  | { type: 'staged.accepted'; boundary?: string | null }
  /** A speculation was accepted without its changes: the user refused all of them. */
  | { type: 'staged.refused'; boundary?: string | null }
  /** A speculation's turn continues in this session. `calls`: calls of its last answer not yet made, parsed again. */
  | { type: 'turn.adopted'; calls: ProposedCall[] }
  | { type: 'reference.added'; reference: string }
  | { type: 'error'; failure: AgentFailure }
  | { type: 'recover' }

export type AgentEvent = ModelEvent | UserEvent | HostEvent
export type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>

export type ReplyKind = AgentReply['kind']

/**
 * Actions that the runner performs next, in this order.
 *
 * Shape: only `call.run` acts outside of the session; it carries the decision record that names the call. Each
 * `call.run` is answered by one `call.finished`, also when it was stopped; each request by an event with its
 * `requestId`, or by `error`, unless it was aborted.
 */
export type AgentEffect =
  | { type: 'model.decide'; requestId: number }
  | { type: 'model.reply'; requestId: number; kind: ReplyKind; about: string }
  | { type: 'model.work'; requestId: number; step: AgentStep }
  | { type: 'model.abort'; requestId: number }
  /** Answered by `consent.granted`, `consent.denied` and `gate.opened`, until each call has its answer. */
  | { type: 'consent.ask'; callIds: string[] }
  /** Answered likewise for a plan. */
  | { type: 'gate.request'; callId: string; hash: string }
  | { type: 'gate.show'; gate: AgentGate }
  | { type: 'gate.withdraw'; gateId: string }
  | { type: 'call.run'; callId: string; access: CallAccess; record: DecisionRecord }
  | { type: 'call.stop'; callId: string }
  | { type: 'call.result'; callId: string; outcome: CallOutcome; reason: string | null }
  | { type: 'question.ask'; callId: string; question: string }
  /** A message while a gate is open: answered without tools. */
  | { type: 'message.beside'; text: string }
  /** The runner sends `recover`: now, or where `isAutomatic` is false when the user wants to try again. */
  | { type: 'recovery.due'; failure: AgentFailure; isAutomatic: boolean }
  /** A failure that no turn was affected by. */
  | { type: 'failure.show'; failure: AgentFailure }
  | { type: 'notice'; notice: AgentNotice }
  /** The last effect of its step. */
  | { type: 'turn.ended'; how: TurnEnd }
