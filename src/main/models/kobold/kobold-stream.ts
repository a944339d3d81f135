import { z } from 'zod'

/** One event of KoboldCpp's stream. `finish` is null until the last. */
export type KoboldStreamEvent = { token: string; finish: string | null }

// Before the end 1.76 sends the string "null", newer ones JSON's null.
const Event = z.object({ token: z.string().default(''), finish_reason: z.string().nullish() })

const longestEventChars = 1_000_000

/**
 * Reads server-sent events; ends with the first that has a finish reason, or with the stream.
 *
 * Shape: `onGarbage` makes the error for data that is not an event of this server.
 */
export async function* readKoboldStream(
  pieces: AsyncIterable<Uint8Array>,
  onGarbage: (reason: string) => Error,
): AsyncGenerator<KoboldStreamEvent, void, void> {
  let hasEvent = false
  let received = ''
  const decoder = new TextDecoder()
  for await (const piece of pieces) {
    received += decoder.decode(piece, { stream: true })
    const blocks = received.split(/\r?\n\r?\n/)
    received = blocks.pop() ?? ''
    if (received.length > longestEventChars) throw onGarbage('an event without end')
    for (const block of blocks) {
      const event = readEvent(block, onGarbage)
      if (event === null) continue
      hasEvent = true
      yield event
      if (event.finish !== null) return
    }
  }
  if (!hasEvent && received.trim() !== '') throw onGarbage(`no event: ${received.slice(0, 80)}`)
}

function readEvent(block: string, onGarbage: (reason: string) => Error): KoboldStreamEvent | null {
  const data = block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .join('\n')
  if (data === '' || data === '[DONE]') return null
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw onGarbage(`no JSON in an event: ${data.slice(0, 80)}`)
  }
  const parsed = Event.safeParse(value)
  if (!parsed.success) throw onGarbage(`an event of another kind: ${data.slice(0, 80)}`)
  const { token, finish_reason: finish } = parsed.data
  return { token, finish: finish === 'null' || finish === undefined ? null : finish }
}
