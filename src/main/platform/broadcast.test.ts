import { describe, expect, it } from 'vitest'
import { createBroadcast } from './broadcast.ts'

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(events)
}

describe('a broadcast', () => {
  it('gives every reader what was sent after it subscribed, even before it reads', async () => {
    const broadcast = createBroadcast<number>()
    broadcast.send(0)
    const first = broadcast.subscribe(new AbortController().signal)
    broadcast.send(1)
    const second = broadcast.subscribe(new AbortController().signal)
    broadcast.send(2)
    broadcast.end()
    expect(await all(first)).toEqual([1, 2])
    expect(await all(second)).toEqual([2])
    expect(await all(broadcast.subscribe(new AbortController().signal))).toEqual([])
  })

  it('ends a reader without an error when its signal aborts, also while it waits', async () => {
    const broadcast = createBroadcast<number>()
    const controller = new AbortController()
    const reading = all(broadcast.subscribe(controller.signal))
    broadcast.send(1)
    setTimeout(() => controller.abort(), 5)
    expect(await reading).toEqual([1])
    expect(await all(broadcast.subscribe(controller.signal))).toEqual([])
  })
})
