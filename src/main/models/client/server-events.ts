import type { z } from 'zod'
import { parseJson } from '../../../shared/text/json.ts'

const longestEventChars = 1_000_000
/** The beginnings of an event's lines; `:` is a comment. */
const lineStarts = [':', 'data:', 'event:', 'id:', 'retry:']

/**
 * Reads server-sent events with JSON as their data, to the end of the stream. Comments and `[DONE]` are skipped, and an
 * event that was cut is left out.
 *
 * Shape: `onGarbage` makes the error for data that is not JSON of this shape, and for a stream of something else.
 */
export async function* readServerEvents<T extends z.ZodType>(
  pieces: AsyncIterable<Uint8Array>,
  shape: T,
  onGarbage: (reason: string) => Error,
): AsyncGenerator<z.output<T>, void, void> {
  let hasEvent = false
  let received = ''
  const decoder = new TextDecoder()
  for await (const piece of pieces) {
    received += decoder.decode(piece, { stream: true })
    const blocks = received.split(/\r?\n\r?\n/)
    received = blocks.pop() ?? ''
    if (received.length > longestEventChars) throw onGarbage('an event without end')
    for (const block of blocks) {
      const data = dataOf(block)
      if (data === '' || data === '[DONE]') continue
      const value = parseJson(data)
      if (value === undefined) throw onGarbage(`no JSON in an event: ${data.slice(0, 80)}`)
      const parsed = shape.safeParse(value)
      if (!parsed.success) throw onGarbage(`an event of another kind: ${data.slice(0, 80)}`)
      hasEvent = true
      yield parsed.data
    }
  }
  const rest = received.trim()
  const isCut = lineStarts.some((start) => rest.startsWith(start) || start.startsWith(rest))
  if (!hasEvent && !isCut) throw onGarbage(`no event: ${rest.slice(0, 80)}`)
}

function dataOf(block: string): string {
  return block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n')
}
