import { EventEmitter, on } from 'node:events'

/** One sender, any number of readers, each with its own queue. */
export type Broadcast<T> = {
  send(event: T): void
  /** Ends every reader, now and later, after what it has not read yet. */
  end(): void
  /**
   * Follows from this very moment: what is sent after this call is read, whenever reading begins.
   * Ends without an error when `signal` aborts.
   */
  subscribe(signal: AbortSignal): AsyncGenerator<T, void, void>
}

export function createBroadcast<T>(): Broadcast<T> {
  const emitter = new EventEmitter().setMaxListeners(0)
  let isEnded = false
  return {
    send: (event) => void emitter.emit('event', event),
    end() {
      isEnded = true
      emitter.emit('end')
    },
    subscribe(signal) {
      if (isEnded || signal.aborted) return nothing()
      return read(on(emitter, 'event', { signal, close: ['end'] }) as unknown as AsyncIterable<[T]>, signal)
    },
  }
}

async function* nothing(): AsyncGenerator<never, void, void> {
  yield* []
}

async function* read<T>(events: AsyncIterable<[T]>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  try {
    for await (const [event] of events) yield event
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
