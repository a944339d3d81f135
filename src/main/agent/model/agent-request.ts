import { LayerTokens } from '../../../shared/domain/app/app-settings.ts'
import type { ModelRole } from '../../../shared/domain/model/model-profile.ts'
import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Random } from '../../deps.ts'
import type { ChatRequest, Constraint, ModelClient, Priority } from '../../models/client/model-client.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { AgentPrompts, Language } from '../../prompts/agent-prompts.ts'
import type { RequestLog } from '../../sessions/request-log.ts'
import type { Toolbox } from '../../tools/create-toolbox.ts'
import type { RequestContext, RequestHooks } from './agent-model.ts'
import { hearAnswer, type ModelAnswer } from './model-answer.ts'
import { promptBlock, type Wanted } from './prompt/prompt-block.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'
import type { Rendering } from './prompt/prompt-messages.ts'
import type { PromptRecord } from './prompt/prompt-record.ts'
import { countPrompt, type FittedPrompt, fitPrompt, meterOf, type TurnPurpose } from './prompt/prompt-room.ts'
import { directSituation, fittedSituation, layerBudgets, layersOf } from './prompt/situation.ts'
import { ToolStyle } from './prompt/tool-style.ts'

/**
 * Reads lines of a file again and returns them with its hash, or null where the file no longer exists.
 *
 * Units: lines from 1, both included.
 */
type ReadLines = (
  file: { path: string; from: number; to: number },
  signal: AbortSignal,
) => Promise<{ text: string; hash: string } | null>

export type AgentModelDeps = {
  /** Errors: `model/none`. */
  activeModel(signal: AbortSignal, role: ModelRole, priority: Priority): Promise<ActiveModel>
  prompts: Record<Language, AgentPrompts>
  toolbox: Pick<Toolbox, 'declarations' | 'directDeclarations' | 'callSchema' | 'noteWindow' | 'filesInUse'>
  readLines: ReadLines
  random: Random
  /** False where a decision is asked for before each answer, also of models that call tools. Absent: false. */
  isDirect?(): boolean
  /** Reports how much of their common prompt the request after a suggestion reused. Units: tokens. */
  heardReuse?(profileId: string, reuse: { expectedTokens: number; reusedTokens: number }): void
  requests?: Pick<RequestLog, 'begin'>
  /** Token budgets of the prompt's layers, as the user set them. Absent: the defaults. */
  layerTokens?(): LayerTokens
  /** Reads the bytes of an image as base64. Absent: models are shown none. Errors: `file/not-found`. */
  readImage?(imageId: string): Promise<string>
}

/**
 * Budget of a fork's requests, which run in the background and only as long as the fork may go on.
 *
 * Shape: an answer that was not written to its end is not used: `over` receives its end and aborts the fork's signal.
 */
export type ForkRequests = {
  /** Called before each request; returns the most tokens that it may write. Errors: whatever ends the fork. */
  begin(): number
  /** `preempted`: a request in the foreground needed the model; `limit`: the fork had no more tokens to write. */
  over(answer: { usage: ModelUsage | null; end: 'whole' | 'preempted' | 'limit' | 'stopped' }): void
}

/**
 * Properties of a session's last own request, which a suggestion's request must share with it.
 *
 * Shape: valid only for the client that was asked, and for a log that still has `end`, the entry that the prompt
 * ended with.
 */
type MainRequest = {
  client: ModelClient
  end: PromptEntry | undefined
  toolChoice: 'auto' | 'none'
  promptTokens: number
}

export type RequestInput = {
  active: ActiveModel
  context: RequestContext
  purpose: TurnPurpose
  /** Before the block: a side question. */
  opening?: readonly PromptEntry[]
  hasSituation: boolean
  wanted: (isNative: boolean, isDirect: boolean) => readonly Wanted[]
  signal: AbortSignal
}

/** A request that is ready to be sent: its prompt is counted and its last block written. */
export type PreparedRequest = {
  active: ActiveModel
  purpose: TurnPurpose
  prompt: FittedPrompt
  /** The cut, the opening and the block: what the log has to keep of this request. */
  entries: PromptEntry[]
  isNative: boolean
  isDirect: boolean
  /** Token limit for reasoning before an answer, in addition to the prompt's `maxTokens`. */
  thinkingTokens: number
}

/** `isProse`: the text is for the user. `canCall`: native calls are allowed. */
type SendOptions = { constraint?: Constraint | undefined; isProse: boolean; canCall: boolean }

/** Sampling temperature of calls and decisions where the profile sets none: low, so that answers vary little. */
const toolTemperature = 0.2
/** Sampler of calls and decisions: a novel's penalties and cuts would hit quotes, braces and repeated names. */
const exactSampler = { topK: 0, topP: 1, minP: 0.05, repeatPenalty: 1, repeatRange: 0 } as const
/** Upper limit of a model's reasoning before a decision. Units: tokens. */
const mostThinkingTokens = 8_192

/** Builds and sends requests: the part that all purposes have in common. */
export class AgentRequests {
  readonly #deps: AgentModelDeps
  readonly #record: PromptRecord
  readonly #style = new ToolStyle()
  readonly #main = new Map<string, MainRequest>()
  /** Sessions whose last request was a suggestion. */
  readonly #suggested = new Set<string>()
  /** Models, by name, that were seen to think before they answer. */
  readonly #thinking = new Set<string>()
  readonly #fork: ForkRequests | null

  constructor(deps: AgentModelDeps, record: PromptRecord, fork: ForkRequests | null = null) {
    this.#deps = deps
    this.#record = record
    this.#fork = fork
  }

  get log(): AgentModelDeps['requests'] {
    return this.#deps.requests
  }

  /**
   * Copies what `other` knows of a session: for a fork, which goes on from the conversation as it was last sent, and
   * for the conversation, which goes on from an accepted fork.
   */
  take(other: AgentRequests, sessionId: string): void {
    this.#record.take(other.#record, sessionId)
    this.#style.take(other.#style, sessionId)
    const main = other.#main.get(sessionId)
    if (main === undefined) this.#main.delete(sessionId)
    else this.#main.set(sessionId, main)
  }

  /**
   * Returns the session's last own request. Undefined before the first, after one that failed or was stopped, where
   * the prompt has begun anew or was cut since, for another model, and after a restart, when the cache is unknown.
   */
  main({ sessionId, log }: RequestContext, { client }: ActiveModel): MainRequest | undefined {
    const main = this.#main.get(sessionId)
    const isOfLog = main?.end === undefined || log.lastIndexOf(main.end) >= 0
    return main?.client === client && isOfLog ? main : undefined
  }

  forget(sessionId: string): void {
    this.#record.forget(sessionId)
    this.#main.delete(sessionId)
  }

  calibration(modelName: string): number {
    return this.#record.calibration(modelName)
  }

  noteSuggestion(sessionId: string): void {
    this.#suggested.add(sessionId)
  }

  seed(): number {
    return Math.floor(this.#deps.random.next() * 2 ** 31)
  }

  async active(
    signal: AbortSignal,
    role: ModelRole = 'main',
    priority: Priority = 'foreground',
  ): Promise<ActiveModel> {
    const active = await this.#deps.activeModel(signal, role, priority)
    await active.client.learn?.(signal)
    return active
  }

  rendering(active: ActiveModel, { language, sessionId, state, log }: RequestContext): Rendering {
    const { client } = active
    const { toolbox, prompts } = this.#deps
    const isNative = client.capabilities.hasTools && !this.#style.isText(sessionId)
    const isDirect = isNative && this.#deps.isDirect?.() === true
    const tools = (isDirect && toolbox.directDeclarations?.(state.course, log)) || toolbox.declarations
    const { readImage } = this.#deps
    const seeing = client.capabilities.hasImages === true && readImage !== undefined ? { readImage } : {}
    const { modelName } = active
    return { prompts: prompts[language], tools, isNative, isDirect, modelName, ...seeing }
  }

  isDirect(active: ActiveModel, context: RequestContext): boolean {
    return this.rendering(active, context).isDirect === true
  }

  /** Errors: `model/context-overflow`, `tokens/unreachable`. */
  async prepare({
    active,
    context,
    purpose,
    opening = [],
    wanted,
    hasSituation,
    signal,
  }: RequestInput): Promise<PreparedRequest> {
    const { log, state, turn } = context
    const rendering = this.rendering(active, context)
    const { prompts, isNative, isDirect = false } = rendering
    const before = [...log, ...opening]
    const { sessionId, folders, updatedAt } = context
    const session = updatedAt === undefined ? undefined : { sessionId, conversations: turn - 1, updatedAt }
    const window = await active.client.contextWindow(signal)
    const budgets = layerBudgets(this.#deps.layerTokens?.() ?? LayerTokens.parse({}), window?.tokens ?? null)
    const words = prompts.situation
    const fitted = fittedSituation({ state, words, folders, session }, budgets.main)
    const whole = hasSituation ? fitted.situation : null
    const situation = whole !== null && isDirect ? directSituation(whole, before, words) : whole
    const asked = wanted(isNative, isDirect)
    const block = promptBlock(prompts, before, turn, situation, asked)
    const ending = [...opening, ...(block === null ? [] : [block])]
    const calibration = this.#record.calibration(active.modelName)
    const layers = layersOf(prompts, fitted, asked, isDirect, budgets)
    const prompt = await fitPrompt(
      { client: active.client, rendering, purpose, log, ending, turn, calibration, layers },
      signal,
    )
    this.#deps.toolbox.noteWindow?.(prompt.contextTokens)
    const entries = [...prompt.added, ...ending]
    const prepared = { active, purpose, prompt, entries, isNative, isDirect, thinkingTokens: 0 }
    const thinks = purpose === 'decision' && this.#thinking.has(active.modelName)
    return thinks ? this.withThinking(prepared) : prepared
  }

  /** Returns the request with room for reasoning, which does not count against the answer's limit. */
  withThinking(prepared: PreparedRequest): PreparedRequest {
    const { promptTokens, maxTokens, contextTokens } = prepared.prompt
    const left = (contextTokens ?? Number.POSITIVE_INFINITY) - promptTokens - maxTokens
    return { ...prepared, thinkingTokens: Math.max(0, Math.min(mostThinkingTokens, left)) }
  }

  /**
   * Returns the request with messages appended that say what was wrong; they do not enter the log.
   *
   * Errors: `model/context-overflow` where they leave no room for an answer.
   */
  async withMore(
    prepared: PreparedRequest,
    more: readonly { role: 'assistant' | 'user'; content: string }[],
    signal: AbortSignal,
  ): Promise<PreparedRequest> {
    const { active, prompt } = prepared
    const texts = more.map(({ role, content }) => ({ role, kind: 'retry', text: content, tokens: null }))
    const rendered = {
      ...prompt,
      messages: [...prompt.messages, ...more],
      parts: [...prompt.parts, ...more.map(({ content }) => ({ kind: 'blocks' as const, text: content }))],
      sent: [...prompt.sent, ...texts],
    }
    const calibration = this.#record.calibration(active.modelName)
    const { tokens, isEstimate } = await countPrompt(active.client, rendered, calibration, signal)
    const left = (prompt.contextTokens ?? Number.POSITIVE_INFINITY) - tokens
    if (left < 1)
      throw new AppError({
        code: 'model/context-overflow',
        usedTokens: tokens + 1,
        limitTokens: prompt.contextTokens ?? 0,
      })
    const maxTokens = Math.min(prompt.maxTokens, left)
    const thinkingTokens = Math.min(prepared.thinkingTokens, left - maxTokens)
    return {
      ...prepared,
      prompt: { ...rendered, promptTokens: tokens, isEstimate, maxTokens },
      thinkingTokens,
    }
  }

  requestOf(
    { active, prompt, isNative, thinkingTokens }: PreparedRequest,
    sessionId: string,
    { constraint, isProse, canCall }: SendOptions,
  ): ChatRequest {
    const { sampler, profile } = active
    const toolChoice = canCall && isNative ? 'auto' : 'none'
    const isExact = constraint !== undefined || !isProse || toolChoice === 'auto'
    return {
      messages: prompt.messages,
      ...(prompt.tools === undefined ? {} : { tools: prompt.tools, toolChoice }),
      sampler: isExact
        ? { ...exactSampler, temperature: profile.toolTemperature ?? toolTemperature }
        : sampler,
      maxTokens: prompt.maxTokens + thinkingTokens,
      stops: [],
      seed: this.seed(),
      conversation: sessionId,
      ...(constraint === undefined ? {} : { constraint }),
      ...(isProse ? {} : { isThinkingOff: true }),
      promptTokens: prompt.promptTokens,
      isPromptEstimated: prompt.isEstimate,
    }
  }

  async send(
    prepared: PreparedRequest,
    { sessionId, log }: RequestContext,
    options: SendOptions,
    hooks: RequestHooks,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const { active, purpose, prompt, entries, isNative } = prepared
    const { isProse, canCall } = options
    const { client, modelName, profile } = active
    const isAfterSuggestion = this.#suggested.delete(sessionId)
    this.#main.delete(sessionId)
    const shared = this.#record.shared(sessionId, prompt)
    hooks.onSent(meterOf(prompt, shared))
    const toolChoice = canCall && isNative ? 'auto' : 'none'
    const request = this.requestOf(prepared, sessionId, options)
    const as = { sessionId, requests: this.log }
    const answer = await (this.#fork === null
      ? hearAnswer(active, { ...as, purpose }, request, isProse, hooks, signal)
      : this.#hearBehind(this.#fork, active, request, { sessionId, isProse }, hooks, signal))
    // Not stopped by the session: the model was closed or replaced. A fork's request, in contrast, was preempted.
    if (answer.end === 'aborted' && !signal.aborted && this.#fork === null)
      throw new AppError({ code: 'model/replaced', modelName })
    const { usage } = answer
    if (answer.reasoning.trim() !== '') this.#thinking.add(modelName)
    this.#record.keep(sessionId, modelName, prompt, answer.text, usage)
    if (usage !== null && usage.reusedTokens !== null && !usage.isReuseEstimated) {
      hooks.onSent(meterOf(prompt, usage.reusedTokens))
      if (isNative) this.#style.note(sessionId, toolChoice, shared, usage.reusedTokens)
      if (isAfterSuggestion)
        this.#deps.heardReuse?.(profile.id, { expectedTokens: shared, reusedTokens: usage.reusedTokens })
    }
    if (answer.end !== 'aborted') {
      const promptTokens = usage?.promptTokens ?? prompt.promptTokens
      const end = entries.at(-1) ?? log.at(-1)
      this.#main.set(sessionId, { client, end, toolChoice, promptTokens })
    }
    return answer
  }

  /** Makes a fork's request and returns only an answer that was written to its end. */
  async #hearBehind(
    fork: ForkRequests,
    active: ActiveModel,
    request: ChatRequest,
    { sessionId, isProse }: { sessionId: string; isProse: boolean },
    hooks: RequestHooks,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const leftTokens = fork.begin()
    const isLimited = leftTokens < request.maxTokens
    const maxTokens = Math.min(request.maxTokens, leftTokens)
    const as = { sessionId, purpose: 'speculation', requests: this.log } as const
    const behind = { ...request, maxTokens, priority: 'background' } as const
    const answer = await hearAnswer(active, as, behind, isProse, hooks, signal)
    const { usage } = answer
    if (answer.end === 'aborted') fork.over({ usage, end: signal.aborted ? 'stopped' : 'preempted' })
    else fork.over({ usage, end: isLimited && answer.end === 'length' ? 'limit' : 'whole' })
    signal.throwIfAborted()
    return answer
  }
}
