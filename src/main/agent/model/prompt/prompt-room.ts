import type { RequestPurpose } from '../../../../shared/domain/model/model-request.ts'
import type { ContextSource } from '../../../../shared/domain/model/model-status.ts'
import type { ContextMeter, SentMessage } from '../../../../shared/domain/session/session.ts'
import { AppError } from '../../../../shared/errors.ts'
import { type ChatRequest, type ModelClient, tooManyToCount } from '../../../models/client/model-client.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import { cutEntry, cutSteps } from './prompt-cut.ts'
import type { PromptEntry } from './prompt-entry.ts'
import { type RenderedPrompt, type Rendering, renderLog, tokensOf } from './prompt-messages.ts'

/** Purposes of the requests of a conversation. */
export type TurnPurpose = Extract<RequestPurpose, 'decision' | 'reply' | 'work' | 'beside' | 'compaction'>

/**
 * Limits of an answer's length: `share` of the context window up to `most` tokens. The prompt must leave at least
 * the share `least`.
 *
 * Units: tokens; shares of the context window.
 */
const budgets: Record<TurnPurpose, { share: number; most: number; least: number }> = {
  decision: { share: 0.25, most: 2_048, least: 0.12 },
  reply: { share: 0.25, most: 4_096, least: 0.1 },
  work: { share: 0.35, most: 12_288, least: 0.15 },
  beside: { share: 0.12, most: 1_024, least: 0.06 },
  compaction: { share: 0.1, most: 4_096, least: 0.08 },
}

/** Context window that we assume where the backend reports none. Units: tokens. */
const usualContextTokens = 4_096
/** Share of the context window that a prompt is cut to after an overflow. Source: `docs/decisions/sessions.md`, point 22. */
const cutShare = 0.6

/** A prompt that fits, counted once. Shape: `added` (a cut, if one was needed) belongs at the end of the log. */
export type FittedPrompt = RenderedPrompt & {
  added: PromptEntry[]
  promptTokens: number
  isEstimate: boolean
  contextTokens: number | null
  contextSource: ContextSource | null
  maxTokens: number
  layers: ContextMeter['layers']
}

type RoomInput = {
  client: ModelClient
  rendering: Rendering
  purpose: TurnPurpose
  log: readonly PromptEntry[]
  /** The entries that this request adds behind the log. */
  ending: readonly PromptEntry[]
  turn: number
  /** Tokens of this model for one estimated token, where it cannot count. */
  calibration: number
  layers: ContextMeter['layers']
}

/** Least size of a prompt that is too long for the backend's counter; more than fits. Units: tokens. */
const uncounted = 50_000

/**
 * Renders a log and counts it in the backend's own tokens; one that leaves no room for an answer is cut, once,
 * to 60 % of the context window.
 *
 * Errors: `model/context-overflow` where what may never be cut does not fit; `tokens/unreachable`.
 * Source: `docs/decisions/sessions.md`, points 21 and 22.
 */
export async function fitPrompt(input: RoomInput, signal: AbortSignal): Promise<FittedPrompt> {
  const { client, rendering, purpose, log, ending, turn } = input
  const window = await client.contextWindow(signal)
  const contextTokens = window?.tokens ?? null
  const room = answerRoom(purpose, contextTokens, purpose === 'work' && rendering.isDirect === true)
  const limit = contextTokens === null ? Number.POSITIVE_INFINITY : contextTokens - room.least
  const measure = async (added: readonly PromptEntry[]) => {
    const rendered = renderLog([...log, ...added, ...ending], rendering)
    return { rendered, ...(await countPrompt(client, rendered, input.calibration, signal)) }
  }
  const fitted = (
    { rendered, tokens, isEstimate }: Awaited<ReturnType<typeof measure>>,
    added: PromptEntry[],
  ) => ({
    ...rendered,
    added,
    layers: input.layers,
    promptTokens: tokens,
    isEstimate,
    contextTokens,
    contextSource: window?.source ?? null,
    maxTokens: contextTokens === null ? room.most : Math.min(room.most, contextTokens - tokens),
  })

  const whole = await measure([])
  if (whole.tokens <= limit) return fitted(whole, [])
  // Scales the estimates of what cuts save by the count of this prompt.
  const scale =
    whole.tokens / Math.max(1, estimateTextTokens(whole.rendered.parts.map(({ text }) => text).join('')))
  const steps = cutSteps([...log])
  const target = (contextTokens ?? 0) * cutShare
  let used = 0
  let wanted = whole.tokens - target
  let last = whole
  while (used < steps.length) {
    for (; used < steps.length && wanted > 0; used++) wanted -= (steps[used]?.saves ?? 0) * scale
    const cut = cutEntry(
      turn,
      steps.slice(0, used).map((step) => step.cut),
    )
    last = await measure([cut])
    if (last.tokens <= limit) return fitted(last, [cut])
    wanted = last.tokens - target
  }
  throw new AppError({
    code: 'model/context-overflow',
    usedTokens: last.tokens + room.least,
    limitTokens: contextTokens ?? 0,
  })
}

/** Counts the whole prompt, template and tools included. Units: tokens. */
export async function countPrompt(
  client: ModelClient,
  { messages, tools, parts }: RenderedPrompt,
  calibration: number,
  signal: AbortSignal,
): Promise<{ tokens: number; isEstimate: boolean }> {
  const images = messages.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : []))
  const imageTokens = tokensOf(images)
  const estimate =
    Math.ceil(estimateTextTokens(parts.map(({ text }) => text).join('\n')) * calibration) + imageTokens
  if (client.countChat === null) return { tokens: estimate, isEstimate: true }
  const chat: Pick<ChatRequest, 'messages' | 'tools'> =
    tools === undefined ? { messages } : { messages, tools }
  const tokens = await client.countChat(chat, signal)
  if (tokens === tooManyToCount) return { tokens: Math.max(uncounted, estimate), isEstimate: true }
  // No counter counts images: theirs is an estimate.
  return { tokens: tokens + imageTokens, isEstimate: images.length > 0 }
}

/** Returns what fills the context, and each message's share. Parts are divided by estimate; their sum is exact. */
export function meterOf(
  prompt: FittedPrompt,
  reusedTokens: number | null,
): {
  meter: ContextMeter
  messages: SentMessage[]
} {
  const { parts, sent, promptTokens } = prompt
  const shares = divideTokens(
    promptTokens,
    parts.map(({ text, imageTokens = 0 }) => estimateTextTokens(text) + imageTokens),
  )
  const byKind = new Map<ContextMeter['parts'][number]['kind'], number>()
  for (const [index, { kind }] of parts.entries())
    byKind.set(kind, (byKind.get(kind) ?? 0) + (shares[index] ?? 0))
  const each = divideTokens(
    promptTokens,
    sent.map(({ text }) => estimateTextTokens(text)),
  )
  return {
    meter: {
      usedTokens: promptTokens,
      limitTokens: prompt.contextTokens,
      limitSource: prompt.contextSource,
      isEstimate: prompt.isEstimate,
      reusedTokens,
      parts: [...byKind].map(([kind, tokens]) => ({ kind, tokens })),
      layers: prompt.layers,
    },
    messages: sent.map((message, index) => ({ ...message, tokens: each[index] ?? 0 })),
  }
}

/** Units: tokens. `least` must be left by the prompt; `most` is asked for where there is room. */
export function answerRoom(purpose: TurnPurpose, contextTokens: number | null, isDirect = false) {
  const context = contextTokens ?? usualContextTokens
  const { share: usual, most, least } = budgets[purpose]
  // An answer that writes a whole file may take all that is left.
  const share = isDirect ? 1 : usual
  const wanted = Math.max(1, Math.min(most, Math.floor(context * share)))
  return { most: wanted, least: Math.max(1, Math.min(wanted, Math.floor(context * least))) }
}

/** Divides `total` by weights into whole parts whose sum is `total`. */
function divideTokens(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  if (sum === 0) return weights.map(() => 0)
  let reached = 0
  let given = 0
  return weights.map((weight) => {
    reached += weight
    const upTo = Math.round((total * reached) / sum)
    const part = upTo - given
    given = upTo
    return part
  })
}
