import type { AgentGate, DecisionRecord } from '../../shared/domain/session/agent-consent.ts'
import type { AgentFailure, AgentNotice, CallOutcome } from '../../shared/domain/session/agent-notice.ts'
import type { AgentReply, CallAccess, TurnEnd } from '../../shared/domain/session/agent-state.ts'
import type { AgentStep } from '../../shared/domain/session/agent-step.ts'

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
  /** Answered likewise for a plan. Staged changes (`apply`) are asked about when their speculation is accepted. */
  | { type: 'gate.request'; kind: 'plan' | 'apply'; callId: string; hash: string }
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
  | { type: 'notice'; notice: AgentNotice }
  /** The last effect of its step. */
  | { type: 'turn.ended'; how: TurnEnd }
