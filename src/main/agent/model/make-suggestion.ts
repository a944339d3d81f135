import { z } from 'zod'
import type { ChatRequest, Constraint } from '../../models/client/model-client.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import type { RequestContext, RequestHooks, SuggestionAnswer, SuggestionAsk } from './agent-model.ts'
import type { AgentModelDeps, AgentRequests } from './agent-request.ts'
import { answerEnds, hearAnswer } from './model-answer.ts'
import { cutOf, cutText } from './prompt/prompt-cut.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'
import { type RenderedPrompt, renderLog } from './prompt/prompt-messages.ts'
import { countPrompt } from './prompt/prompt-room.ts'

/** Source: `docs/decisions/suggestions.md`, "How". Units: tokens. */
const maxTokens = 64

type SuggestionDeps = Pick<AgentModelDeps, 'prompts'> & { window: StandaloneWindow }

const schema = z.toJSONSchema(z.strictObject({ suggestion: z.string() }))
const { $schema: _, ...answerSchema } = schema
const answerConstraint: Constraint = { kind: 'json-schema', schema: answerSchema }

/** Hooks for a request in the background, whose progress is not shown. */
export const unheard: RequestHooks = {
  onPhase: () => undefined,
  onText: () => undefined,
  onReasoning: () => undefined,
  onReplace: () => undefined,
  onSent: () => undefined,
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
  const entry = entryOf(prompts, context, ask)
  const isForked = ask.strategy === 'forked'
  const sized = isForked
    ? await forked(requests, active, context, entry, signal)
    : await standalone(requests, deps.window, active, context, entry, signal)
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
async function forked(
  requests: AgentRequests,
  active: ActiveModel,
  context: RequestContext,
  entry: PromptEntry,
  signal: AbortSignal,
): Promise<Sized | Lack> {
  const { sessionId, log } = context
  const main = requests.main(context, active)
  if (main === undefined) return { kind: 'lack', lack: 'no_shared_prefix' }
  const rendered = renderLog([...log, entry], requests.rendering(active, context))
  const size = await sizeOf(requests, active, rendered, signal)
  if (size === null) return { kind: 'lack', lack: 'no_room' }
  const toolChoice = rendered.tools === undefined ? {} : { toolChoice: main.toolChoice }
  const more = { ...toolChoice, conversation: sessionId }
  return { rendered, more, expectedTokens: main.promptTokens, ...size }
}

/**
 * Builds the prompt from the last entries as text, without tools, as a separate conversation, so that a separate model
 * keeps it cached. The answer is JSON where the backend can constrain it.
 */
async function standalone(
  requests: AgentRequests,
  window: StandaloneWindow,
  active: ActiveModel,
  context: RequestContext,
  entry: PromptEntry,
  signal: AbortSignal,
): Promise<Sized | Lack> {
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
    const size = await sizeOf(requests, active, rendered, signal)
    if (size !== null) return { rendered, more, expectedTokens: 0, ...size }
    if (!window.shorten(sessionId, log)) return { kind: 'lack', lack: 'no_room' }
  }
}

/** Returns the size of a prompt; null where it leaves no room for an answer. */
async function sizeOf(
  requests: AgentRequests,
  { client, modelName }: ActiveModel,
  rendered: RenderedPrompt,
  signal: AbortSignal,
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
