import { describe, expect, it } from 'vitest'
import { createBroadcast, createEventLog, type EventLog } from './broadcast.ts'

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

type Told = { seq: number; key: string; text: string }

const snapshot: Told = { seq: -1, key: 'snapshot', text: '' }

/** Returns the events that a reader after `afterSeq` gets until the log ends. */
async function readAfter(log: EventLog<Told>, afterSeq?: number): Promise<string[]> {
  const reader = log.watch(afterSeq, () => snapshot, new AbortController().signal)
  log.end()
  const seen: string[] = []
  for await (const { key, text } of reader) seen.push(`${key}${text}`)
  return seen
}

function filled(remembered: { events: number; characters?: number }, first = 0): EventLog<Told> {
  const isReplaced = (known: Told, event: Told): boolean => known.key === event.key
  const log = createEventLog<Told>({ first, remembered, isReplaced })
  for (const [key, text] of ['a1', 'b1', 'a2', 'c1'].map((said) => said.split('')))
    log.send({ key: key ?? '', text: text ?? '' })
  return log
}

it('gives what came after a number, each replaced event once, then what comes', async () => {
  const log = filled({ events: 10 })
  expect(log.seq).toBe(4)
  const reader = log.watch(1, () => snapshot, new AbortController().signal)
  log.send({ key: 'd', text: '1' })
  log.end()
  const seen: number[] = []
  for await (const { seq } of reader) seen.push(seq)
  expect(seen).toEqual([2, 3, 4, 5])
})

it.each([
  ['no number is known', { events: 10 }, undefined],
  ['the number is of another time', { events: 10 }, 50],
  ['more events were sent than are remembered', { events: 2 }, 0],
  ['more characters were sent than are remembered', { events: 10, characters: 60 }, 0],
] as const)('gives a snapshot where %s', async (_why, remembered, afterSeq) => {
  expect(await readAfter(filled(remembered), afterSeq)).toEqual(['snapshot'])
})

it('gives nothing to a reader that has read all', async () => {
  expect(await readAfter(filled({ events: 10 }, 100), 104)).toEqual([])
})
