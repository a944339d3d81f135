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

  it('lets ten thousand readers come and go without standing still', async () => {
    const broadcast = createBroadcast<number>()
    const readers = Array.from({ length: 10_000 }, () => {
      const controller = new AbortController()
      return { controller, read: all(broadcast.subscribe(controller.signal)) }
    })
    broadcast.send(1)
    for (const { controller } of readers) controller.abort()
    const read = await Promise.all(readers.map((reader) => reader.read))
    expect(read.every((events) => events.length === 1)).toBe(true)
  })

  it('forgets a reader that leaves in the middle', async () => {
    const broadcast = createBroadcast<number>()
    const { signal } = new AbortController()
    const reader = broadcast.subscribe(signal)
    broadcast.send(1)
    broadcast.send(2)
    for await (const event of reader) if (event === 1) break
    broadcast.send(3)
    expect(await reader.next()).toEqual({ value: undefined, done: true })
  })
})
