import type { ApiOf } from '../../src/shared/contract/method.ts'
import { AppError } from '../../src/shared/errors.ts'
import type { sampleContract, WatchEvent } from './sample-contract.ts'

/** The services of the sample contract, with access for tests to their internal state. */
export type SampleService = {
  api: ApiOf<typeof sampleContract>
  /** Calls and streams that have begun and not ended. */
  running(): number
  /** The inputs that `sample.watch` was asked with. */
  watched: { afterSeq?: number | undefined }[]
  /** Items that the floods have been asked for. */
  flooded(): number
  /** Adds an event for all who watch. */
  add(text: string): void
  /** Lets every `sample.deaf` go on. */
  wakeDeaf(): void
}

export function createSampleService(): SampleService {
  const watched: SampleService['watched'] = []
  const events: WatchEvent[] = []
  const wakers = new Set<() => void>()
  const deaf = new Set<() => void>()
  let running = 0
  let flooded = 0

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
    }
  }

  async function* countedStream<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
    running += 1
    try {
      yield* items
    } finally {
      running -= 1
    }
  }

  async function* watch(afterSeq: number | undefined, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    let seen = afterSeq ?? events.length
    if (afterSeq === undefined) yield { type: 'snapshot', seq: seen, text: events.at(-1)?.text ?? '' }
    while (!signal.aborted) {
      const event = events[seen]
      if (event) {
        seen += 1
        yield event
      } else {
        await new Promise<void>((resolve) => {
          wakers.add(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    }
  }

  function* deltas(total: number, text: string) {
    for (let seq = 1; seq <= total; seq += 1) {
      flooded += 1
      yield { seq, text }
    }
  }

  return {
    running: () => running,
    watched,
    flooded: () => flooded,
    add(text) {
      events.push({ type: 'added', seq: events.length + 1, text })
      for (const wake of wakers) wake()
      wakers.clear()
    },
    wakeDeaf() {
      for (const wake of deaf) wake()
      deaf.clear()
    },
    api: {
      'sample.echo': ({ value, note }) => counted(async () => (note === 'none' ? value : [value, note])),
      'sample.fail': ({ path }) =>
        counted(() => Promise.reject(new AppError({ code: 'file/not-found', path }))),
      'sample.bug': () => {
        throw new TypeError('the manuscript says: secret')
      },
      'sample.lie': () => counted(async () => ({ when: 1 }) as unknown as { at: string }),
      'sample.date': () => counted(async () => ({ at: new Date(0) })),
      'sample.wait': (_input, { signal }) =>
        counted(
          () =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason), { once: true })
            }),
        ),
      'sample.deaf': () =>
        counted(async () => {
          await new Promise<void>((resolve) => deaf.add(resolve))
          return null
        }),
      'sample.count': ({ to, failAt }) => countedStream(count(to, failAt)),
      'sample.forever': () => countedStream(count(Number.POSITIVE_INFINITY, undefined)),
      'sample.flood': (input) => countedStream(deltas(input.count, input.text)),
      'sample.deltas': (input) => countedStream(deltas(input.count, input.text)),
      'sample.watch': (input, { signal }) => {
        watched.push(input)
        return countedStream(watch(input.afterSeq, signal))
      },
    },
  }
}

function* count(to: number, failAt: number | undefined): Generator<number> {
  for (let number = 1; number <= to; number += 1) {
    if (number === failAt) throw new AppError({ code: 'model/cut', address: 'sample' })
    yield number
  }
}
