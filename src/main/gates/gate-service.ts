import type { AgentGate, GateAnswer, GateItem, StandingConsent } from '../../shared/domain/agent-consent.ts'
import type { AgentPlan } from '../../shared/domain/agent-plan.ts'
import type { AgentMode } from '../../shared/domain/agent-step.ts'
import type { ConsentRule } from '../../shared/domain/consent-rule.ts'
import type { GateAnswerInput, GateDiff, GateView } from '../../shared/domain/gate.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'

/** Whose consent is asked. Shape: `root` is the folder's real path; `language` that of the model's prompts. */
export type GateContext = {
  sessionId: string
  workId: string
  root: string
  mode: AgentMode
  language: 'ja' | 'en'
}

/**
 * What becomes of calls: each is in exactly one of the three.
 *
 * Shape: `gates` in the order in which they are to be opened; `reason` as the model is told.
 */
export type ConsentFinding = {
  records: StandingConsent[]
  denied: { callId: string; reason: string }[]
  gates: AgentGate[]
}

/**
 * What an answer to a gate comes to; the first two close it.
 *
 * Shape: `calls` are the approved ones as they shall run, refused hunks taken out, their `hash` that of the
 * answer; empty for a plan. `items` is what is asked and shown now; null: it no longer applies, and is closed.
 */
export type AnsweredGate =
  | { kind: 'approved'; answers: GateAnswer[]; calls: PreparedCall[] }
  | { kind: 'rejected'; reason: string | null }
  | { kind: 'void'; items: GateItem[] | null }

/** The queue of questions for consent, of all sessions; the audit log hears of every decision. */
export type GateService = {
  /**
   * Judges the calls of one answer. Its edits that need consent form one gate; each command or read its own.
   * `rationale` is the decision's: shown where a call gives no reason.
   */
  ask(context: GateContext, calls: readonly PreparedCall[], rationale: string): Promise<ConsentFinding>
  askPlan(context: GateContext, plan: AgentPlan): Promise<ConsentFinding>
  /** Staged changes, prepared as one call. */
  askApply(context: GateContext, staged: PreparedCall, rationale: string): Promise<ConsentFinding>

  /** The front one first. */
  openGates(sessionId: string): GateView[]
  /** Errors: `gate/not-open`. */
  view(sessionId: string, gateId: string): GateView
  /** Errors: `gate/not-open`; `file/not-found` for a file that the call does not change. */
  diff(sessionId: string, gateId: string, callId: string, path: string): GateDiff

  /**
   * Looks again at the files, then closes the gate; or leaves it open where what was shown is not what would
   * be done now.
   *
   * Errors: `gate/not-open`; `gate/too-early`.
   */
  answer(context: GateContext, input: GateAnswerInput): Promise<AnsweredGate>
  /** What a typed message says to the front gate; null where it says nothing, or another gate was meant. */
  typed(
    sessionId: string,
    message: { text: string; gateId: string; sincePaintedMs: number },
  ): 'approve' | 'refuse' | null
  /** The whole gate as an answer: what a typed yes or no stands for. Errors: `gate/not-open`. */
  wholeAnswer(
    sessionId: string,
    gateId: string,
    verdict: 'approve' | 'refuse',
    sincePaintedMs: number,
  ): GateAnswerInput

  /** Closes one gate or all of the session's without an answer. */
  withdraw(sessionId: string, gateId?: string): void
  /**
   * Opens stored gates again under their ids, looked at anew; a gate whose calls are gone or no longer apply
   * is told of with `items: null`. `plan` is a plan gate's; `calls` hold the calls of the others.
   */
  restore(
    context: GateContext,
    stored: {
      gates: readonly AgentGate[]
      calls: readonly PreparedCall[]
      plan: AgentPlan | null
      rationale: string
    },
  ): Promise<{ gateId: string; items: GateItem[] | null }[]>
  /**
   * Tells when files of an open gate changed: it is shown anew (`items`), or gone (null). Returns the end of it.
   */
  onVoid(listener: (sessionId: string, gateId: string, items: GateItem[] | null) => void): () => void

  /** Allowed for the session; stored with it by the caller. */
  sessionRules(sessionId: string): ConsentRule[]
  setSessionRules(sessionId: string, rules: readonly ConsentRule[]): void
  /** True for files that a search may show without a question: no secret, and no deny or ask rule names it. */
  readFilter(context: Pick<GateContext, 'sessionId' | 'root'>): Promise<(path: string) => boolean>
  close(): void
}
