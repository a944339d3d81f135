import { z } from 'zod'
import type { ActiveModel } from '../../models/active-model.ts'
import type { ChatRequest, Constraint } from '../../models/model-client.ts'
import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import type { RequestContext, SuggestionAnswer, SuggestionAsk } from './agent-model.ts'
import type { AgentModelDeps, AgentRequests } from './agent-request.ts'
import type { PromptEntry } from './prompt-entry.ts'
import { type RenderedPrompt, renderLog } from './prompt-messages.ts'
import { countPrompt } from './prompt-room.ts'

/** Source: `../shared/spec/5-suggestions.md`, "How". Units: tokens; entries. */
const maxTokens = 64
const standaloneEntries = 40

const ends = { stop: 'finished', 'stop-sequence': 'finished', length: 'cut', aborted: 'stopped' } as const

const schema = z.toJSONSchema(z.strictObject({ suggestion: z.string() }))
const { $schema: _, ...answerSchema } = schema
const answerConstraint: Constraint = { kind: 'json-schema', schema: answerSchema }

const unheard = {
  onPhase: () => undefined,
  onText: () => undefined,
  onReasoning: () => undefined,
  onReplace: () => undefined,
  onSent: () => undefined,
}

type Asked = {
  active: ActiveModel
  rendered: RenderedPrompt
  more: Partial<ChatRequest>
  expectedTokens: number
}

/**
 * Asks what the user may type next, in the background, and keeps nothing of it.
 *
 * Shape: the forked way sends the conversation as the last request left it, the model's answer, and one message
 * more; nothing is cut, and what decides about the head of the prompt (tools, their choice) stays the same.
 */
export async function makeSuggestion(
  requests: AgentRequests,
  deps: AgentModelDeps,
  context: RequestContext,
  ask: SuggestionAsk,
  signal: AbortSignal,
): Promise<SuggestionAnswer> {
  const active = await requests.active(signal)
  const prompts = deps.prompts[context.language]
  const isForked = ask.way === 'forked'
  const asked = isForked
    ? forked(requests, active, context, entryOf(prompts, context, ask))
    : standalone(requests, active, context, entryOf(prompts, context, ask))
  if (asked === null) return { kind: 'lack', lack: 'no_shared_prefix' }

  const { client, modelName, sampler } = active
  const { rendered } = asked
  const { tokens, isEstimate } = await countPrompt(client, rendered, requests.calibration(modelName), signal)
  const window = await client.contextWindow(signal)
  if (window !== null && tokens + maxTokens > window.tokens) return { kind: 'lack', lack: 'no_room' }
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
    ...asked.more,
  }
  if (isForked) requests.noteSuggestion(context.sessionId)
  const purpose = isForked ? 'forked_query' : 'prompt_suggestion'
  const as = { sessionId: context.sessionId, purpose } as const
  const answer = await requests.hear(active, as, request, false, unheard, signal)
  // What a stop cut off is nobody's next word.
  if (answer.end === 'aborted') signal.throwIfAborted()
  return {
    kind: 'answer',
    text: answer.text,
    end: ends[answer.end],
    isConstrained: request.constraint !== undefined,
    usage: answer.usage,
    modelName,
    expectedTokens: asked.expectedTokens,
  }
}

/** Null where nothing was sent yet that it could stand behind. */
function forked(
  requests: AgentRequests,
  active: ActiveModel,
  context: RequestContext,
  entry: PromptEntry,
): Asked | null {
  const { sessionId, log } = context
  const main = requests.main(context, active)
  if (main === undefined) return null
  const rendered = renderLog([...log, entry], requests.rendering(active, context))
  const toolChoice = rendered.tools === undefined ? {} : { toolChoice: main.toolChoice }
  return {
    active,
    rendered,
    more: { ...toolChoice, conversation: sessionId },
    expectedTokens: main.promptTokens,
  }
}

/** The last entries in words, without tools; the answer is JSON where the backend can be held to it. */
function standalone(
  requests: AgentRequests,
  active: ActiveModel,
  context: RequestContext,
  entry: PromptEntry,
): Asked {
  const rendering = { ...requests.rendering(active, context), tools: [], isNative: false }
  const last = context.log.filter(({ kind }) => kind !== 'instructions').slice(-standaloneEntries)
  const rendered = renderLog([...last, entry], rendering)
  const first = rendered.messages.findIndex(({ role }) => role === 'user')
  const messages = rendered.messages.filter(({ role }, index) => role === 'system' || index >= first)
  const canConstrain = active.client.capabilities.constraints.includes('json-schema')
  return {
    active,
    rendered: { ...rendered, messages },
    more: canConstrain ? { constraint: answerConstraint } : {},
    expectedTokens: 0,
  }
}

function entryOf(
  prompts: AgentPrompts,
  { turn }: RequestContext,
  { way, isShort }: SuggestionAsk,
): PromptEntry {
  const asked = prompts.render(isShort ? 'suggestion-short' : 'suggestion', {})
  const text = way === 'forked' ? asked : `${asked}\n\n${prompts.render('suggestion-json', {})}`
  return { turn, role: 'user', kind: 'block', text }
}
