import { z } from 'zod'
import type { ChatRequest, Constraint } from '../../models/client/model-client.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import type {
  PreReading,
  RequestContext,
  RequestHooks,
  SuggestionAnswer,
  SuggestionAsk,
} from './agent-model.ts'
import type { AgentModelDeps, AgentRequests } from './agent-request.ts'
import { decisionOptions, prepareDecision } from './make-decision.ts'
import { answerEnds, hearAnswer } from './model-answer.ts'
import { wantedDirect } from './prompt/prompt-block.ts'
import { cutOf, cutText } from './prompt/prompt-cut.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'
import { type RenderedPrompt, renderLog } from './prompt/prompt-messages.ts'
import { countPrompt } from './prompt/prompt-room.ts'

/** Source: `docs/decisions/suggestions.md`, "How". Units: tokens. */
const maxTokens = 64

type SuggestionDeps = Pick<AgentModelDeps, 'prompts'> & { window: StandaloneWindow }

const { $schema: _, ...answerSchema } = z.toJSONSchema(z.strictObject({ suggestion: z.string() }))
const answerConstraint: Constraint = { kind: 'json-schema', schema: answerSchema }

/** Hooks for a request in the background, whose progress is not shown. */
export const unheard: RequestHooks = {
  onPhase: () => undefined,
  onText: () => undefined,
  onReasoning: () => undefined,
  onReplace: () => undefined,
  onSent: () => undefined,
}

/** A request for a suggestion, which ends with `entry`. */
type Given = {
  requests: AgentRequests
  active: ActiveModel
  context: RequestContext
  entry: PromptEntry
  signal: AbortSignal
}
type Asked = { rendered: RenderedPrompt; more: Partial<ChatRequest>; expectedTokens: number }
type Sized = Asked & { tokens: number; isEstimate: boolean }
type Lack = Extract<SuggestionAnswer, { kind: 'lack' }>

/**
 * Asks what the user may type next, in the background, and keeps nothing of it.
 *
 * Shape: the forked strategy sends the conversation as the last request left it, the model's answer, and one message
 * more; nothing is cut, and what decides about the head of the prompt (tools, their choice) stays the same.
 */
export async function makeSuggestion(
  requests: AgentRequests,
  deps: SuggestionDeps,
  context: RequestContext,
  ask: SuggestionAsk,
  signal: AbortSignal,
): Promise<SuggestionAnswer> {
  const active = await requests.active(signal, ask.role, 'background')
  const prompts = deps.prompts[context.language]
  const given = { requests, active, context, entry: entryOf(prompts, context, ask), signal }
  const isForked = ask.strategy === 'forked'
  const sized = isForked ? await forked(given) : await standalone(given, deps.window)
  if ('lack' in sized) return sized

  const { modelName, sampler } = active
  const { rendered, more, tokens, isEstimate, expectedTokens } = sized
  const request: ChatRequest = {
    messages: rendered.messages,
    ...(rendered.tools === undefined ? {} : { tools: rendered.tools }),
    sampler,
    maxTokens,
    stops: [],
    seed: requests.seed(),
    priority: 'background',
    ...(ask.isThinkingOff ? { isThinkingOff: true } : {}),
    promptTokens: tokens,
    isPromptEstimated: isEstimate,
    ...more,
  }
  if (isForked) requests.noteSuggestion(context.sessionId)
  const purpose = isForked ? 'forked_query' : 'prompt_suggestion'
  const as = { sessionId: context.sessionId, purpose, requests: requests.log } as const
  const answer = await hearAnswer(active, as, request, false, unheard, signal)
  const isConstrained = request.constraint !== undefined
  const { text, usage } = answer
  return {
    kind: 'answer',
    text,
    end: answerEnds[answer.end],
    isConstrained,
    usage,
    modelName,
    expectedTokens,
  }
}

/** Builds the prompt behind the conversation as last sent; returns a lack where nothing was sent yet. */
async function forked(given: Given): Promise<Sized | Lack> {
  const { requests, active, context, entry } = given
  const { sessionId, log } = context
  const main = requests.main(context, active)
  if (main === undefined) return { kind: 'lack', lack: 'no_shared_prefix' }
  const rendered = renderLog([...log, entry], requests.rendering(active, context))
  const size = await sizeOf(given, rendered)
  if (size === null) return { kind: 'lack', lack: 'no_room' }
  const toolChoice = rendered.tools === undefined ? {} : { toolChoice: main.toolChoice }
  const more = { ...toolChoice, conversation: sessionId }
  return { rendered, more, expectedTokens: main.promptTokens, ...size }
}

/**
 * Builds the prompt from the last entries as text, without tools, as a separate conversation, so that a separate model
 * keeps it cached. The answer is JSON where the backend can constrain it.
 */
async function standalone(given: Given, window: StandaloneWindow): Promise<Sized | Lack> {
  const { requests, active, context, entry } = given
  const { sessionId, log } = context
  const rendering = { ...requests.rendering(active, context), tools: [], isNative: false }
  const stub = rendering.prompts.render('cut-result', {})
  const canConstrain = active.client.capabilities.constraints.includes('json-schema')
  const more: Partial<ChatRequest> = {
    conversation: `${sessionId} suggestions`,
    ...(canConstrain ? { constraint: answerConstraint } : {}),
  }
  for (;;) {
    const whole = renderLog([...window.entries(sessionId, log, stub), entry], rendering)
    const first = whole.messages.findIndex(({ role }) => role === 'user')
    const messages = whole.messages.filter(({ role }, index) => role === 'system' || index >= first)
    const rendered = { ...whole, messages }
    const size = await sizeOf(given, rendered)
    if (size !== null) return { rendered, more, expectedTokens: 0, ...size }
    if (!window.shorten(sessionId, log)) return { kind: 'lack', lack: 'no_room' }
  }
}

/** Returns the size of a prompt; null where it leaves no room for an answer. */
async function sizeOf(
  { requests, active: { client, modelName }, signal }: Given,
  rendered: RenderedPrompt,
): Promise<{ tokens: number; isEstimate: boolean } | null> {
  const size = await countPrompt(client, rendered, requests.calibration(modelName), signal)
  const window = await client.contextWindow(signal)
  return window !== null && size.tokens + maxTokens > window.tokens ? null : size
}

function entryOf(
  prompts: AgentPrompts,
  { turn }: RequestContext,
  { strategy, isShort }: SuggestionAsk,
): PromptEntry {
  const asked = prompts.render(isShort ? 'suggestion-short' : 'suggestion', {})
  const text = strategy === 'forked' ? asked : `${asked}\n\n${prompts.render('suggestion-json', {})}`
  return { turn, role: 'user', kind: 'block', text }
}

/** Maximum number of entries of a session that are sent to a standalone model. Source: *Prompt suggestions*. */
const mostEntries = 40
/** Number of entries that a full window is cut to. It grows again from there, so its beginning stays in the cache. */
const keptEntries = 20
const leastEntries = 2

/** Entries that are left out: what the host tells the model about its work is not part of the conversation. */
const left = new Set<PromptEntry['kind']>([
  'base',
  'instructions',
  'surroundings',
  'block',
  'decision',
  'cut',
])

/**
 * The last entries of each session's log, for a model that is not sent the whole of it. From turn to turn they begin
 * with the same entry as long as there is room.
 */
export class StandaloneWindow {
  readonly #begins = new Map<string, PromptEntry>()

  entries(sessionId: string, log: readonly PromptEntry[], stub: string): PromptEntry[] {
    const kept = log.filter(({ kind }) => !left.has(kind))
    const begin = this.#begins.get(sessionId)
    const before = begin === undefined ? -1 : kept.lastIndexOf(begin)
    const from = before < 0 ? mostEntries : kept.length - before
    const shown = kept.slice(-(from > mostEntries ? keptEntries : from))
    this.#begin(sessionId, shown)
    const cut = cutOf(log)
    return shown.map((entry) => ({ ...entry, text: cutText(entry, log.indexOf(entry), cut, stub) }))
  }

  /** Halves the window where it has no room. Returns false where hardly anything would be left. */
  shorten(sessionId: string, log: readonly PromptEntry[]): boolean {
    const kept = log.filter(({ kind }) => !left.has(kind))
    const begin = this.#begins.get(sessionId)
    const count = begin === undefined ? 0 : kept.length - kept.lastIndexOf(begin)
    if (count <= leastEntries) return false
    this.#begin(sessionId, kept.slice(-Math.ceil(count / 2)))
    return true
  }

  forget(sessionId: string): void {
    this.#begins.delete(sessionId)
  }

  #begin(sessionId: string, [first]: readonly PromptEntry[]): void {
    if (first === undefined) this.#begins.delete(sessionId)
    else this.#begins.set(sessionId, first)
  }
}

/** Shortest answer that every server accepts. Units: tokens. */
const shortestTokens = 1

/**
 * Has the model read exactly the first request that a message would cause, and discards the token that it writes: the
 * later request is then in the cache. If another message comes, the cache is only cut back to what both share.
 *
 * Returns null where nothing is cached, where the backend does not report what it reused, or where the prompt would
 * not go on from the last one.
 */
export async function preRead(
  requests: AgentRequests,
  prompts: AgentPrompts,
  context: RequestContext,
  signal: AbortSignal,
): Promise<PreReading | null> {
  const active = await requests.active(signal, 'main', 'background')
  const main = requests.main(context, active)
  if (main === undefined || !active.client.capabilities.hasReuseCount) return null
  const isDirect = requests.isDirect(active, context)
  const wanted = () => wantedDirect(prompts, context.state)
  const prepared = isDirect
    ? await requests.prepare({ active, context, purpose: 'work', hasSituation: true, wanted, signal })
    : await prepareDecision(requests, prompts, active, context, signal)
  if (prepared.prompt.added.length > 0) return null
  const { sessionId } = context
  const options = isDirect ? { isProse: true, canCall: true } : decisionOptions(prepared)
  const request = requests.requestOf(prepared, sessionId, options)
  requests.noteSuggestion(sessionId)
  const { usage } = await hearAnswer(
    active,
    { sessionId, purpose: 'pre_read', requests: requests.log },
    { ...request, maxTokens: shortestTokens, priority: 'background' },
    false,
    unheard,
    signal,
  )
  return { usage, expectedTokens: main.promptTokens }
}
