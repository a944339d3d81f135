import type { AddedFolder } from '../../../shared/domain/app/added-folder.ts'
import type { ModelRole } from '../../../shared/domain/model/model-profile.ts'
import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { AgentDecision } from '../../../shared/domain/session/agent-decision.ts'
import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import type { AgentStep } from '../../../shared/domain/session/agent-step.ts'
import type { ContextMeter, SentMessage } from '../../../shared/domain/session/session.ts'
import type { RawCall } from '../../tools/prepared-call.ts'
import type { ReplyKind } from '../agent-events.ts'
import type { AgentModelDeps, ForkRequests } from './agent-request.ts'
import type { Compaction } from './prompt/compact-log.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'

/** The place of a request in its session. `log` is the whole prompt so far. */
export type RequestContext = {
  sessionId: string
  language: 'ja' | 'en'
  turn: number
  log: readonly PromptEntry[]
  state: AgentState
  /** Folders in which the session works besides its own. */
  folders?: readonly AddedFolder[]
  /** When the last conversation before this one ended; absent for the first. */
  updatedAt?: number | undefined
}

/** Callbacks of a running request. `phase`: as the model client reports it. */
export type RequestHooks = {
  /** `waitMs`: the server accepts no request now and is asked again after this time. */
  onPhase(phase: 'queued' | 'reading' | 'writing', progress: number | null, waitMs?: number): void
  onText(text: string): void
  onReasoning(text: string): void
  /** The text so far, corrected. */
  onReplace(text: string): void
  /** The prompt as it is sent and what fills the context; again at the end, where the backend tells its reuse. */
  onSent(sent: { messages: SentMessage[]; meter: ContextMeter }): void
}

type Outcome = {
  /** To be appended to the log: the block that was sent and the answer; also of an answer that was stopped. */
  entries: PromptEntry[]
  usage: ModelUsage | null
  modelName: string
  isDemo: boolean
}

export type DecisionOutcome = Outcome & { decision: AgentDecision; isRepaired: boolean; clipped: string[] }
export type ReplyOutcome = Outcome & { text: string; reasoning: string; end: 'finished' | 'cut' | 'stopped' }
/** Shape: `calls` in the answer's order; empty: the work of the step is done. */
export type WorkOutcome = Outcome & {
  text: string
  reasoning: string
  calls: RawCall[]
  end: 'finished' | 'cut' | 'stopped'
  /** The answer carries its own decision: text without calls is the reply. */
  isDirect: boolean
}

/**
 * How a suggestion is asked for. `forked`: behind the conversation as it was last sent; `standalone`: anew, its
 * last entries only.
 */
export type SuggestionAsk = {
  role: ModelRole
  strategy: 'forked' | 'standalone'
  isShort: boolean
  isThinkingOff: boolean
}

/**
 * Result of a request for a suggestion; the log keeps none of it. `expectedTokens`: what the model had already read.
 *
 * Shape: `isConstrained` where `text` is JSON for certain.
 */
export type SuggestionAnswer =
  | {
      kind: 'answer'
      text: string
      end: 'finished' | 'cut' | 'stopped'
      isConstrained: boolean
      usage: ModelUsage | null
      modelName: string
      expectedTokens: number
    }
  | { kind: 'lack'; lack: 'no_shared_prefix' | 'no_room' }

/** The cost of reading a prompt in advance. `expectedTokens`: what the model had already read. */
export type PreReading = { usage: ModelUsage | null; expectedTokens: number }

/**
 * The requests that the runner makes to the model. A stop (the signal) is a normal end of `reply`, `work` and `beside`
 * with the text kept; `decide` and `compact` throw the signal's reason then.
 *
 * Errors: `model/…`, `tokens/…`; `model/bad-decision` where the ladder is exhausted; `model/context-overflow`
 * where even the cut prompt does not fit.
 */
export type AgentModel = {
  /** True where the model in use works on the direct path: `work` is then requested in place of `decide`. */
  isDirect(context: RequestContext, signal: AbortSignal): Promise<boolean>
  decide(context: RequestContext, hooks: RequestHooks, signal: AbortSignal): Promise<DecisionOutcome>
  reply(
    context: RequestContext,
    wanted: { kind: ReplyKind; about: string },
    hooks: RequestHooks,
    signal: AbortSignal,
  ): Promise<ReplyOutcome>
  work(
    context: RequestContext,
    step: AgentStep,
    hooks: RequestHooks,
    signal: AbortSignal,
  ): Promise<WorkOutcome>
  /**
   * Answers a side question (`opening`: it and what goes with it) without tools; its entries are appended after
   * the running answer's.
   */
  beside(
    context: RequestContext,
    opening: readonly PromptEntry[],
    hooks: RequestHooks,
    signal: AbortSignal,
  ): Promise<ReplyOutcome>
  /** A new log in place of the old one: summary, files in use, the last exchanges verbatim. */
  compact(context: RequestContext, hooks: RequestHooks, signal: AbortSignal): Promise<Compaction>
  /**
   * Asks in the background what the user may type next. Neither the log nor what is known of the last request
   * changes. A stop before it is sent throws the signal's reason; a later stop is the answer's `end`.
   */
  suggest(context: RequestContext, ask: SuggestionAsk, signal: AbortSignal): Promise<SuggestionAnswer>
  /**
   * Has the model read the first request that the user's next message will cause; `context` is as it will be then.
   * Nothing else changes. Returns null where this would save nothing.
   */
  preRead(context: RequestContext, signal: AbortSignal): Promise<PreReading | null>
  /** True where the next request should be preceded by a compaction (80 % of the context). */
  needsCompaction(context: RequestContext, signal: AbortSignal): Promise<boolean>
}

/** Dependencies of a fork. Shape: `toolbox` declares the same tools, else the model reads the whole prompt again. */
type ModelFork = Pick<AgentModelDeps, 'toolbox' | 'readLines'> & {
  requests: ForkRequests
  /** The model that runs the fork; absent: the main one. */
  role?: ModelRole
}

/** The model of one session, and of the forks that go on from it. */
export type SessionModel = AgentModel & {
  /** Creates a fork's model, which continues the conversation as last sent and changes nothing here. */
  fork(sessionId: string, fork: ModelFork): SessionModel
  /** The conversation has become the fork's: the next request goes on from there. */
  adopt(sessionId: string, fork: SessionModel): void
}
