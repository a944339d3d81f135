import type { Answer, AnsweredCall } from '../answer.ts'
import { Vocabulary } from '../vocabulary.ts'
import { type Exchange, eventsOf, streamParts } from './recording.ts'

type Choice = {
  finish_reason: string | null
  text?: string
  message?: Message
  delta?: Message
}
type Message = {
  content?: string | null
  reasoning_content?: string
  tool_calls?: { index?: number; function: { name?: string; arguments: string } }[]
}
type Body = {
  content?: string
  stop?: boolean
  stop_type?: string
  stopping_word?: string
  tokens_predicted?: number
  choices?: Choice[]
  usage?: { completion_tokens: number }
  error?: unknown
}

/**
 * Returns the recorded model's answer, which the fake repeats so that all but the answer's text is compared. Null where
 * it gave none.
 */
export function recordedAnswer(entry: Exchange): Answer | null {
  const body = jsonOf(entry.request.body)
  // The fake's own tokens end inside characters, as these entries want them to.
  if (body === null || entry.name.startsWith('utf8_tekken')) return null
  return entry.response.reads === undefined ? wholeWords(entry, body) : streamedWords(entry, body)
}

/** A JSON object; null for anything else. */
export function jsonOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function streamedWords(entry: Exchange, body: Record<string, unknown>): Answer {
  const parts = streamParts(entry.response).map((part) => eventsOf(part).filter(isBody))
  const events = parts.flat()
  if (events.some((event) => event.error !== undefined)) return { text: 'x', fault: 'error-after-generating' }
  const pieces = parts.map((part) => part.flatMap(pieceOf))
  const choices = events.flatMap((event) => event.choices ?? [])
  const ends = events.at(-1)?.stop_type ?? choices.findLast((choice) => choice.finish_reason)?.finish_reason
  const [before = [], after] = pieces
  // The end of turn is a token of its own in `/completion`.
  if (ends === 'eos' && before.at(-1) === '') before.pop()
  const prefill = prefillOf(body)
  if (before[0] !== undefined) before[0] = before[0].slice(prefill.length)
  const all =
    after === undefined ? before : [...before, ...leftOut(events, before.length + after.length), ...after]
  const calls = callsOf(choices.flatMap((choice) => choice.delta?.tool_calls ?? []))
  const reasoning = choices.flatMap((choice) => choice.delta?.reasoning_content ?? [])
  return {
    ...(all.length === 0 ? {} : { text: all }),
    ...(reasoning.length === 0 ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(ends === 'length' || ends === 'limit' ? { finish: 'length' as const } : {}),
  }
}

function isBody(event: unknown): event is Body {
  return typeof event === 'object' && event !== null
}

/** What an event says; the last one of `/completion` and `/v1/completions` is empty and no token. */
function pieceOf(event: Body): string[] {
  if (event.stop === false) return 'prompt_progress' in event ? [] : [event.content ?? '']
  return (event.choices ?? []).flatMap((choice) =>
    choice.text !== undefined && choice.finish_reason !== null
      ? []
      : (choice.delta?.content ?? choice.text ?? []),
  )
}

/** Returns filler tokens for those that the recording leaves out. */
function leftOut(events: readonly Body[], known: number): string[] {
  const counts = events.map((event) => event.tokens_predicted ?? event.usage?.completion_tokens ?? 0)
  return Array.from({ length: Math.max(0, ...counts) - known }, () => ' x')
}

function wholeWords(entry: Exchange, body: Record<string, unknown>): Answer | null {
  const reply = jsonOf(entry.response.body ?? '') as Body | null
  if (reply === null) return null
  if (JSON.stringify(reply.error ?? '').includes('peg-native'))
    return { text: 'x', fault: 'error-after-generating' }
  const choice = reply.choices?.[0]
  const said = reply.content ?? choice?.text ?? choice?.message?.content
  if (said === undefined || said === null) return null
  const text = said.slice(prefillOf(body).length)
  const count = reply.tokens_predicted ?? reply.usage?.completion_tokens ?? null
  const finish = reply.stop_type ?? choice?.finish_reason ?? 'limit'
  const calls = callsOf(choice?.message?.tool_calls ?? [])
  const reasoning = choice?.message?.reasoning_content
  const [firstStop] = typeof body.stop === 'string' ? [body.stop] : ((body.stop ?? []) as string[])
  const isWord = finish === 'word' || (finish === 'stop' && firstStop !== undefined)
  const stop = isWord ? (reply.stopping_word ?? firstStop ?? '') : ''
  const isLength = finish === 'length' || finish === 'limit'
  const hasOwnCount = count !== null && reasoning === undefined
  const isEos = !isLength && !isWord
  return {
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls.length > 0 ? {} : { text: hasOwnCount ? cut(text, count - (isEos ? 1 : 0), stop) : text }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(isLength ? { finish: 'length' as const } : {}),
  }
}

/** The text in as many tokens as the recorded model took for it. */
function cut(text: string, count: number, stop: string): string | string[] {
  if (stop === '' && new Vocabulary().encode(text, false).length === count) return text
  const characters = [...text]
  const pieces = Array.from({ length: count }, (_, index) =>
    index < count - 1 ? (characters[index] ?? '') : characters.slice(count - 1).join(''),
  )
  return pieces.map((piece, index) => (index === count - 1 ? piece + stop : piece))
}

function callsOf(
  parts: { index?: number; function: { name?: string; arguments: string } }[],
): AnsweredCall[] {
  const calls: { name: string; arguments: string }[] = []
  for (const { function: part } of parts) {
    if (part.name !== undefined) calls.push({ name: part.name, arguments: '' })
    const call = calls.at(-1)
    if (call !== undefined) call.arguments += part.arguments
  }
  return calls
}

function prefillOf(body: Record<string, unknown>): string {
  const last = (body.messages as { role?: string; content?: unknown }[] | undefined)?.at(-1)
  const text = last?.role === 'assistant' && typeof last.content === 'string' ? last.content : ''
  return text.startsWith('<tool_call>') ? '' : text
}
