import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../shared/domain/session.ts'
import { SessionEvents } from './session-events.ts'

const snapshot = { type: 'snapshot' } as SessionEvent

async function first(events: SessionEvents, afterSeq: number): Promise<SessionEvent | undefined> {
  const end = new AbortController()
  for await (const event of events.watch(afterSeq, () => snapshot, end.signal)) {
    end.abort()
    return event
  }
  return undefined
}

describe('events of a session that was let go and opened again', () => {
  it('are not taken for those that a window has missed', async () => {
    const before = new SessionEvents(1_000)
    for (let count = 0; count < 3; count++) before.send({ type: 'cut', fromTurn: count })
    const seen = before.seq
    expect(await first(before, seen - 1)).toMatchObject({ type: 'cut', fromTurn: 2 })
    const after = new SessionEvents(31_000)
    for (let count = 0; count < 10; count++) after.send({ type: 'cut', fromTurn: count })
    expect(await first(after, seen)).toBe(snapshot)
  })
})
