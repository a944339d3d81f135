import type { NextWord } from '../../../shared/domain/drafting/next-words.ts'
import type { ImageType } from '../../../shared/domain/image/attached-image.ts'
import type { Continuation } from '../../../shared/domain/model/model-profile.ts'
import type { CompletionEnd, ContextSource, ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { Sampler, SamplerField } from '../../../shared/domain/model/sampler.ts'
import type { AppError } from '../../../shared/errors.ts'

/** A stretch of a prompt. `isSpecial`: a template's marker, read as control tokens; the author's text never is. */
export type PromptSegment = { text: string; isSpecial: boolean }
export type Prompt = readonly PromptSegment[]

/** What the output must match. A result is validated by the caller all the same. */
export type Constraint =
  | { kind: 'json-schema'; schema: Record<string, unknown> }
  | { kind: 'gbnf'; grammar: string }

/** Background work never runs while foreground work waits. */
export type Priority = 'foreground' | 'background'

type Generation = {
  sampler: Sampler
  /** At least 1. */
  maxTokens: number
  /** Cut from the text where the first of them begins; empty ones are dropped. */
  stops: readonly string[]
  /** 0 … 2³¹−1. */
  seed: number
  /** The model may not end by itself (endless prose). */
  isEosBanned?: boolean
  /** Never written, where `capabilities.canBanPhrases`; elsewhere they are not heard. */
  bannedPhrases?: readonly string[]
  /** No token of these may be written; for the few tokens in which another way is looked for. */
  bannedStarts?: readonly string[]
  constraint?: Constraint
  priority?: Priority
  /** Requests of one conversation share its prompt cache. */
  conversation?: string
  /** Requests of one group run at the same time, no more of them than `requestsAtOnce` says. */
  group?: string
  /** No thinking where the model can leave it out: a decision is wanted, not its draft. */
  isThinkingOff?: boolean
  /** What the caller counted (or estimated, labelled); absent: the client counts before it sends. */
  promptTokens?: number
  isPromptEstimated?: boolean
  /** Tells by `chance` how likely each piece was, where `capabilities.tellsChances`. */
  tellsChances?: boolean
}

/** `unfinished`: how a server that only chats is asked to go on in a begun line, the last segment of the prompt. */
export type CompletionRequest = Generation & {
  prompt: Prompt
  unfinished?: { line: string; instruction: string }
}

/**
 * A call of a tool as the model wrote it. Shape: `arguments` is meant to be a JSON object; what a model writes may be
 * none.
 */
export type ToolCall = { id: string; name: string; arguments: string }

/** What a model is told of a tool. Shape: `parameters` is a JSON schema of an object. */
export type ToolDeclaration = { name: string; description: string; parameters: Record<string, unknown> }

/**
 * An image of a message. Shape: `read` gives its bytes as base64. Units: tokens, an estimate.
 *
 * Errors of `read`: `file/not-found` where it is not kept any more.
 */
export type ChatImage = { imageId: string; mediaType: ImageType; tokens: number; read(): Promise<string> }

/** Fields of an API that carry what a model thought before it answered. */
export type ReasoningField = 'reasoning_content' | 'reasoning'
type Reasoning = { field: ReasoningField; text: string }

/** `images` only where `capabilities.hasImages`. `reasoning` goes back in the field that it came in. `toolCalls` and the role `tool` only where `capabilities.hasTools`; elsewhere calls are text. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ChatImage[] }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[]; reasoning?: Reasoning }
  | { role: 'tool'; callId: string; content: string }

/**
 * `messages` end with the user's or a tool's; the client applies its profile's template, or the server its own.
 *
 * Shape: `tools` stand in the prompt whatever `toolChoice` says; `none` forbids the call.
 */
export type ChatRequest = Generation & {
  messages: readonly ChatMessage[]
  tools?: readonly ToolDeclaration[]
  toolChoice?: 'auto' | 'none'
  /** Taken away where the answer begins with it. */
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
   * How likely the model held a piece of its answer: a token, in whole characters, before stops cut it. In the order of
   * the text; before or after the text itself.
   */
  | { type: 'chance'; text: string; share: number }
  /** `field`: of the API; absent where the model wrote it into its text. */
  | { type: 'reasoning'; text: string; field?: ReasoningField }
  | { type: 'replace'; text: string }
  /** One whole call, when its arguments are complete. */
  | { type: 'tool-call'; call: ToolCall }
  | { type: 'usage'; usage: ModelUsage }
  | { type: 'done'; stopReason: CompletionEnd }

/** What this backend can do at all; `probe.ts` finds out what it really does. */
export type ModelCapabilities = {
  hasCounter: boolean
  constraints: readonly Constraint['kind'][]
  /** It takes `tools` and answers with `tool-call`; elsewhere calls are asked for as constrained JSON. */
  hasTools: boolean
  /** Messages of the user may hold images. Absent: they may not. */
  hasImages?: boolean
  /** Absent: it cannot. */
  canBanPhrases?: boolean
  /** It can be kept from ending by itself. Absent: it cannot. */
  canBanEnd?: boolean
  /** Absent: it does not. */
  tellsChances?: boolean
  /** The fields of a sampler that it takes; the others are ignored. Absent: not known. */
  samplers?: readonly SamplerField[]
  /** Reuse is the backend's own count, not our comparison. */
  hasReuseCount: boolean
}

/** `limit`: how many words the backend tells. Units: tokens; null where it does not count them. */
export type ToldWords = {
  words: NextWord[]
  limit: number
  promptTokens: number | null
  reusedTokens: number | null
}

export type ContextWindow = { tokens: number; source: ContextSource }

export type ModelDescription = {
  modelName: string | null
  version: string | null
  context: ContextWindow | null
  /** The server wants a key and has none, or a wrong one. */
  needsKey: boolean
}

/**
 * The answer of a counter that has found more tokens than it can tell.
 *
 * Source: KoboldCpp answers 0 from 50,000 tokens on; every real count includes the BOS token.
 */
export const tooManyToCount = 0

/**
 * One model behind one wire API. The rest of the program never asks which, only what it can do.
 *
 * Errors: `model/…` and `tokens/unreachable`. A user's stop (the signal) is a normal end of a completion with
 * its text kept (`done` with `aborted`); of any other method it throws the signal's reason.
 */
export type ModelClient = {
  /** May grow until `learn` has returned; a server that was not asked yet is credited with the least. */
  readonly capabilities: ModelCapabilities
  /**
   * Finds out what the server can do, once; a server that does not answer is left to the next request. Absent:
   * `capabilities` are certain from the start.
   */
  readonly learn?: (signal: AbortSignal) => Promise<void>
  /** True while one of our own requests has the model. Absent: it serves many at once. */
  readonly isBusy?: boolean
  /**
   * Finds out by a trial whether it answers with calls of tools. Null: the trial gave way to another request. Absent:
   * `capabilities` says it.
   *
   * Errors: `model/…`, where the server does not answer.
   */
  readonly tryTools?: (priority: Priority, signal: AbortSignal) => Promise<boolean | null>
  /**
   * Finds out by a request or two of few tokens how the server goes on in a text, and does so from now on. Null:
   * the trial gave way to another request. Absent: there is one way only.
   *
   * Errors: `model/…`, where the server does not answer.
   */
  readonly findContinuation?: (priority: Priority, signal: AbortSignal) => Promise<Continuation | null>
  describe(signal: AbortSignal): Promise<ModelDescription>
  /** Asked anew each time: a server may have been restarted. Null: not known. */
  contextWindow(signal: AbortSignal): Promise<ContextWindow | null>
  /**
   * Counts as `complete` would, with the BOS token unless `isPiece`. A string is one stretch of plain text.
   *
   * Units: tokens; `tooManyToCount` for more than the backend can tell.
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
   * Tells when the model went away by itself, with why, and when it is there again (null); until `dispose`.
   * Absent: only a request can tell.
   */
  readonly watchHealth?: (listener: (problem: AppError | null) => void) => void
  /**
   * How many requests the server works on at the same time, each of so many tokens with its answer. Absent: one.
   * Errors: `model/…`.
   */
  readonly requestsAtOnce?: (tokens: number, signal: AbortSignal) => Promise<number>
  /**
   * The likeliest words after a prompt, in whole characters, by the model's own probabilities before any sampler.
   * Absent: the backend tells none. Errors: `model/no-probabilities` where that shows only with the first request.
   */
  readonly nextWords?: (
    request: { prompt: Prompt; conversation: string },
    signal: AbortSignal,
  ) => Promise<ToldWords>
  complete(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void>
  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void>
  dispose(): Promise<void>
}

/** A prompt of plain text only. */
export function plainPrompt(text: string): Prompt {
  return [{ text, isSpecial: false }]
}

export function promptText(prompt: string | Prompt): string {
  return typeof prompt === 'string' ? prompt : prompt.map((segment) => segment.text).join('')
}
