import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../shared/domain/session/session.ts'
import type { Unnumbered } from '../platform/broadcast.ts'
import { createSessionEvents } from './session-events.ts'

type SessionEvents = ReturnType<typeof createSessionEvents>
type NewSessionEvent = Unnumbered<SessionEvent>

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
    const before = createSessionEvents(1_000)
    for (let count = 0; count < 3; count++) before.send({ type: 'cut', fromTurn: count })
    const seen = before.seq
    expect(await first(before, seen - 1)).toMatchObject({ type: 'cut', fromTurn: 2 })
    const after = createSessionEvents(31_000)
    for (let count = 0; count < 10; count++) after.send({ type: 'cut', fromTurn: count })
    expect(await first(after, seen)).toBe(snapshot)
  })
})

describe('what a window has missed', () => {
  const state = (mode: string) => ({ type: 'state', state: { mode } }) as unknown as NewSessionEvent
  const call = (itemId: string, text: string) =>
    ({ type: 'item', item: { itemId, kind: 'call', text } }) as unknown as NewSessionEvent
  const more = (itemId: string, text: string): NewSessionEvent => ({ type: 'output', itemId, text })

  function missed(events: SessionEvents, afterSeq: number): SessionEvent[] {
    const told: SessionEvent[] = []
    // No new event is sent: the remembered ones come first, and at once.
    const end = new AbortController()
    void (async () => {
      for await (const event of events.watch(afterSeq, () => snapshot, end.signal)) told.push(event)
    })()
    return told
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('is the last word on each thing, in order', async () => {
    const events = createSessionEvents(0)
    for (const event of [
      state('ask'),
      call('a', ''),
      more('a', 'x'),
      state('plan'),
      call('b', ''),
      more('b', 'y'),
      call('a', 'xz'),
    ])
      events.send(event)
    const told = missed(events, 0)
    await settled()
    expect(told.map((event) => [event.seq, event.type])).toEqual([
      [4, 'state'],
      [5, 'item'],
      [6, 'output'],
      [7, 'item'],
    ])
  })

  it('is forgotten where it is much: who missed more gets a snapshot, who missed less does not', async () => {
    const events = createSessionEvents(0)
    for (let count = 0; count < 30; count++) events.send(call(`item-${count}`, 'x'.repeat(100_000)))
    const [early, late] = [missed(events, 3), missed(events, 25)]
    await settled()
    expect(early).toEqual([snapshot])
    expect(late.map(({ seq }) => seq)).toEqual([26, 27, 28, 29, 30])
  })

  it('is a snapshot where one thing alone is more than is remembered', async () => {
    const events = createSessionEvents(0)
    events.send(call('a', 'x'.repeat(2_000_000)))
    const [behind, there] = [missed(events, 0), missed(events, 1)]
    await settled()
    expect(behind).toEqual([snapshot])
    expect(there).toEqual([])
  })
})
