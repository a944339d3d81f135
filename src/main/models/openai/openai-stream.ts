import { z } from 'zod'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import type { ReasoningField } from '../client/model-client.ts'

/** A piece of a tool call: the name and id come once, the arguments in pieces. */
export type CallPiece = { index: number; id: string | null; name: string | null; arguments: string }

/** The server's own counts. `cachedTokens`: null where it does not tell. */
export type ServerUsage = { promptTokens: number; completionTokens: number; cachedTokens: number | null }

/** A part of a stream's event, the same for each API. */
export type StreamPart =
  | { type: 'text'; text: string }
  | { type: 'chance'; text: string; share: number }
  | { type: 'reasoning'; text: string; field: ReasoningField }
  | { type: 'call'; piece: CallPiece }
  | { type: 'progress'; progress: number }
  | { type: 'finish'; end: CompletionEnd }
  | { type: 'usage'; usage: ServerUsage }
  | { type: 'error'; error: unknown }

const text = z.string().nullish()
const count = z.number().int().min(0)

const CallDelta = z.object({
  index: z.number().int().min(0).default(0),
  id: text,
  // Some servers send the arguments as an object instead of its JSON.
  function: z.object({ name: text, arguments: z.union([z.string(), z.looseObject({})]).nullish() }).nullish(),
})
const Choice = z.object({
  text,
  delta: z
    .object({
      content: text,
      reasoning_content: text,
      reasoning: text,
      tool_calls: z.array(CallDelta).nullish(),
    })
    .nullish(),
  finish_reason: text,
})
const Usage = z.object({
  prompt_tokens: count,
  completion_tokens: count.default(0),
  prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
})
const Timings = z.object({ cache_n: count.default(0), prompt_n: count, predicted_n: count })
const Progress = z.object({ total: count, processed: count })
/** The values of llama.cpp's `stop_type` other than the model's own end. */
const llamaEnds = new Map<string, CompletionEnd>([
  ['limit', 'length'],
  ['word', 'stop-sequence'],
])

/** An event of `chat/completions` and `completions`, and of llama.cpp's `/completion`. */
const Event = z.object({
  choices: z.array(Choice).optional(),
  usage: Usage.nullish(),
  timings: Timings.nullish(),
  prompt_progress: Progress.nullish(),
  error: z.unknown().optional(),
  content: z.string().optional(),
  stop: z.boolean().optional(),
  stop_type: z.string().optional(),
  completion_probabilities: z.array(z.object({ logprob: z.number() })).optional(),
})

/**
 * Reads one event; null for a value that is not an event of these APIs.
 *
 * Source: llama-server as measured, chat and `/completion`; llama.cpp, DashScope and older vLLM send
 * `reasoning_content`, Ollama, LM Studio and newer vLLM `reasoning`.
 */
export function readStreamEvent(value: unknown): StreamPart[] | null {
  // llama.cpp sends null where the requested fields are not in an event.
  if (value === null) return []
  const { data: event } = Event.safeParse(value)
  if (event === undefined) return null
  if (event.error !== undefined && event.error !== null) return [{ type: 'error', error: event.error }]
  const parts: StreamPart[] = []
  if (event.prompt_progress) {
    const { processed, total } = event.prompt_progress
    parts.push({ type: 'progress', progress: total === 0 ? 1 : processed / total })
  }
  // Only one answer is requested.
  if (event.choices?.[0]) parts.push(...readChoice(event.choices[0]))
  if (event.content !== undefined && event.content !== '') {
    const { content, completion_probabilities: told = [] } = event
    // Several tokens in one event are those of one character.
    const share = Math.exp(told.reduce((sum, { logprob }) => sum + logprob, 0))
    if (told.length > 0) parts.push({ type: 'chance', text: content, share })
    parts.push({ type: 'text', text: content })
  }
  const usage = readUsage(event)
  if (usage !== null) parts.push({ type: 'usage', usage })
  if (event.stop === true) parts.push({ type: 'finish', end: llamaEnds.get(event.stop_type ?? '') ?? 'stop' })
  return parts
}

function readChoice({ text: plain, delta, finish_reason }: z.infer<typeof Choice>): StreamPart[] {
  const parts: StreamPart[] = []
  const field = delta?.reasoning_content ? 'reasoning_content' : 'reasoning'
  const reasoning = delta?.[field] || ''
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, field })
  const content = delta?.content || plain || ''
  if (content !== '') parts.push({ type: 'text', text: content })
  for (const call of delta?.tool_calls ?? []) {
    const given = call.function?.arguments ?? ''
    parts.push({
      type: 'call',
      piece: {
        index: call.index,
        id: call.id || null,
        name: call.function?.name || null,
        arguments: typeof given === 'string' ? given : JSON.stringify(given),
      },
    })
  }
  if (finish_reason) parts.push({ type: 'finish', end: finish_reason === 'length' ? 'length' : 'stop' })
  return parts
}

/** llama.cpp's timings are the slot's own count; its `usage` leaves the cache out in older versions. */
function readUsage({ usage, timings }: z.infer<typeof Event>): ServerUsage | null {
  if (timings) {
    const { cache_n, prompt_n, predicted_n } = timings
    return { promptTokens: cache_n + prompt_n, completionTokens: predicted_n, cachedTokens: cache_n }
  }
  if (!usage) return null
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
  }
}
