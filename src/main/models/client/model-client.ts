import type { NextWord } from '../../../shared/domain/drafting/next-words.ts'
import type { ImageType } from '../../../shared/domain/image/attached-image.ts'
import type { Continuation } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd, ContextSource, ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { Sampler, SamplerField } from '../../../shared/domain/model/sampler.ts'
import type { AppError } from '../../../shared/errors.ts'

/** A part of a prompt. `isSpecial`: a template's marker, read as control tokens; the author's text never is. */
export type PromptSegment = { text: string; isSpecial: boolean }
export type Prompt = readonly PromptSegment[]

/** A form that the output must have. The caller validates the result nevertheless. */
export type Constraint =
  | { kind: 'json-schema'; schema: Record<string, unknown> }
  | { kind: 'gbnf'; grammar: string }

/** Background work never runs while foreground work waits. */
export type Priority = 'foreground' | 'background'

type Generation = {
  sampler: Sampler
  /** At least 1. */
  maxTokens: number
  /** The text ends where the first of these begins; empty ones are dropped. */
  stops: readonly string[]
  /** 0 … 2³¹−1. */
  seed: number
  /** The model may not end by itself (endless prose). */
  isEosBanned?: boolean
  /** Phrases that are never written, where `capabilities.canBanPhrases`; elsewhere they are ignored. */
  bannedPhrases?: readonly string[]
  /** Tokens that may not be written; for the few tokens of a new attempt after a banned phrase. */
  bannedStarts?: readonly string[]
  constraint?: Constraint
  priority?: Priority
  /** Requests of one conversation share its prompt cache. */
  conversation?: string
  /** Requests of one group run at the same time, no more of them than `requestsAtOnce` says. */
  group?: string
  /** No thinking where the model can leave it out: only a decision is wanted. */
  isThinkingOff?: boolean
  /** The caller's count, or its estimate (then labelled); absent: the client counts before it sends. */
  promptTokens?: number
  isPromptEstimated?: boolean
  /** Asks for `chance` events, which tell how likely each piece was, where `capabilities.tellsChances`. */
  tellsChances?: boolean
}

/** `unfinished`: how a server that only chats is asked to continue a begun line, the last segment of the prompt. */
export type CompletionRequest = Generation & {
  prompt: Prompt
  unfinished?: { line: string; instruction: string }
}

/**
 * A call of a tool as the model wrote it. Shape: `arguments` is meant to be a JSON object, but a model may write other
 * text.
 */
export type ToolCall = { id: string; name: string; arguments: string }

/** A tool as it is declared to a model. Shape: `parameters` is a JSON schema of an object. */
export type ToolDeclaration = { name: string; description: string; parameters: Record<string, unknown> }

/**
 * An image of a message. Shape: `read` gives its bytes as base64. Units: tokens, an estimate.
 *
 * Errors of `read`: `file/not-found` where the image is not stored any more.
 */
export type ChatImage = { imageId: string; mediaType: ImageType; tokens: number; read(): Promise<string> }

/** Fields of an API that hold a model's thinking before its answer. */
export type ReasoningField = 'reasoning_content' | 'reasoning'
type Reasoning = { field: ReasoningField; text: string }

/**
 * A message. Shape: `images` only where `capabilities.hasImages`. `reasoning` is sent back in the field that it came
 * in. `toolCalls` and the role `tool` only where `capabilities.hasTools`; elsewhere calls are text.
 */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ChatImage[] }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[]; reasoning?: Reasoning }
  | { role: 'tool'; callId: string; content: string }

/**
 * `messages` end with the user's or a tool's; the client applies its profile's template, or the server its own.
 *
 * Shape: `tools` are in the prompt whatever `toolChoice` is; `none` forbids the call.
 */
export type ChatRequest = Generation & {
  messages: readonly ChatMessage[]
  tools?: readonly ToolDeclaration[]
  toolChoice?: 'auto' | 'none'
  /** Text that is removed where the answer begins with it. */
  repeated?: string
}

/**
 * One step of a completion. `done` is always the last, exactly once; a failure is thrown instead.
 *
 * `phase`: `queued` waits for the model, `reading` the prompt is processed, `writing` text follows;
 * `progress` is 0 … 1 where the backend tells it; `waitMs` where the server takes no request now and is asked again
 * after that. `replace`: the whole text so far, corrected.
 */
export type ModelEvent =
  | { type: 'phase'; phase: 'queued' | 'reading' | 'writing'; progress: number | null; waitMs?: number }
  | { type: 'text'; text: string }
  /**
   * The probability that the model gave to a piece of its answer: a token, in whole characters, before stops cut it. In
   * the order of the text; before or after the text itself.
   */
  | { type: 'chance'; text: string; share: number }
  /** `field`: the field of the API; absent where the model wrote the thinking into its text. */
  | { type: 'reasoning'; text: string; field?: ReasoningField }
  | { type: 'replace'; text: string }
  /** One whole call, when its arguments are complete. */
  | { type: 'tool-call'; call: ToolCall }
  | { type: 'usage'; usage: ModelUsage }
  | { type: 'done'; stopReason: CompletionEnd }

/** The steps of a completion. `Outcome`: what the generator returns at its end. */
export type ModelEvents<Outcome = void> = AsyncGenerator<ModelEvent, Outcome, void>

/** The abilities that a backend may have; `probe.ts` finds out which really work. */
export type ModelCapabilities = {
  hasCounter: boolean
  constraints: readonly Constraint['kind'][]
  /** The backend takes `tools` and answers with `tool-call`; elsewhere calls are requested as constrained JSON. */
  hasTools: boolean
  /** Messages of the user may hold images. Absent: they may not. */
  hasImages?: boolean
  /** Absent: false. */
  canBanPhrases?: boolean
  /** The backend can keep the model from ending by itself. Absent: false. */
  canBanEnd?: boolean
  /** Absent: false. */
  tellsChances?: boolean
  /** The fields of a sampler that the backend takes; the others are ignored. Absent: not known. */
  samplers?: readonly SamplerField[]
  /** The backend counts reused tokens itself; elsewhere we compare prompts. */
  hasReuseCount: boolean
}

/** The likeliest next words. `limit`: how many the backend gives; `untold`: of these, without a text. Units: tokens; null where it does not count them. */
export type ToldWords = {
  words: NextWord[]
  limit: number
  untold: number
  promptTokens: number | null
  reusedTokens: number | null
}

export type ContextWindow = { tokens: number; source: ContextSource }

export type ModelDescription = {
  modelName: string | null
  version: string | null
  context: ContextWindow | null
  /** The server requires a key and got none, or a wrong one. */
  needsKey: boolean
}

/**
 * The answer of a counter for more tokens than it can count.
 *
 * Source: KoboldCpp answers 0 from 50,000 tokens on; every text that is not empty has a token.
 */
export const tooManyToCount = 0

/**
 * One model behind one wire API. The rest of the program does not depend on the API, only on `capabilities`.
 *
 * Errors: `model/…` and `tokens/unreachable`. A user's stop (the signal) is a normal end of a completion with
 * its text kept (`done` with `aborted`); of any other method it throws the signal's reason.
 */
export type ModelClient = {
  /** May grow until `learn` has returned; for a server that was not asked yet the least is assumed. */
  readonly capabilities: ModelCapabilities
  /**
   * Finds out once what the server can do; does not fail for a server that does not answer, which the next request
   * reports. Absent: `capabilities` are certain from the start.
   */
  readonly learn?: (signal: AbortSignal) => Promise<void>
  /** True while one of our own requests uses the model. Absent: the model serves many requests at once. */
  readonly isBusy?: boolean
  /**
   * Finds out by a trial whether the model answers with calls of tools. Null: another request preempted the trial.
   * Absent: `capabilities` tells it.
   *
   * Errors: `model/…`, where the server does not answer.
   */
  readonly tryTools?: (priority: Priority, signal: AbortSignal) => Promise<boolean | null>
  /**
   * Finds out by a request or two of few tokens how the server continues a text; the client uses that from now on.
   * Null: another request preempted the trial. Absent: there is only one method.
   *
   * Errors: `model/…`, where the server does not answer.
   */
  readonly findContinuation?: (priority: Priority, signal: AbortSignal) => Promise<Continuation | null>
  /**
   * The prompt that the server's only cache read last, with its answer, whoever sent it; empty before the first request.
   * Absent: the requests of others leave a page's cache as it is.
   */
  readonly lastRead?: string | undefined
  /** Lets the next request start an engine again that crashed. Absent: no crash keeps requests from being sent. */
  readonly revive?: () => void
  /** Name of the model that the server told last. Absent before the first time. */
  readonly servedName?: string | null | undefined
  describe(signal: AbortSignal): Promise<ModelDescription>
  /** Asks the server each time, since it may have been restarted. Null: not known. */
  contextWindow(signal: AbortSignal): Promise<ContextWindow | null>
  /**
   * Counts as `complete` would, with the BOS token unless `isPiece`. A string is one segment of plain text.
   *
   * Units: tokens; `tooManyToCount` for more than the backend can count.
   * Errors: `tokens/unreachable`; never estimates. Null: this backend has no counter.
   */
  readonly countTokens:
    | ((prompt: string | Prompt, signal: AbortSignal, options?: { isPiece?: boolean }) => Promise<number>)
    | null
  /**
   * Counts a conversation as `chat` would send it, tools included. Null as `countTokens`.
   *
   * Units: tokens. Errors: `tokens/unreachable`; never estimates.
   */
  readonly countChat:
    | ((chat: Pick<ChatRequest, 'messages' | 'tools'>, signal: AbortSignal) => Promise<number>)
    | null
  /**
   * Calls the listener when the model is lost by itself, with the error, and when it is available again (null); until
   * `dispose`. Absent: only a request can tell.
   */
  readonly watchHealth?: (listener: (problem: AppError | null) => void) => void
  /**
   * Returns how many requests the server handles at the same time; `tokens`: of each with its answer. Absent: one.
   * Errors: `model/…`.
   */
  readonly requestsAtOnce?: (tokens: number, signal: AbortSignal) => Promise<number>
  /**
   * Returns the likeliest words after a prompt, in whole characters, by the model's probabilities before any sampler.
   * Absent: the backend gives none. Errors: `model/no-probabilities` where only the first request shows that.
   */
  readonly nextWords?: (
    request: { prompt: Prompt; conversation: string },
    signal: AbortSignal,
  ) => Promise<ToldWords>
  complete(request: CompletionRequest, signal: AbortSignal): ModelEvents
  chat(request: ChatRequest, signal: AbortSignal): ModelEvents
  dispose(): Promise<void>
}

/** Returns a prompt of plain text only. */
export function plainPrompt(text: string): Prompt {
  return [{ text, isSpecial: false }]
}

export function promptText(prompt: string | Prompt): string {
  return typeof prompt === 'string' ? prompt : prompt.map((segment) => segment.text).join('')
}
