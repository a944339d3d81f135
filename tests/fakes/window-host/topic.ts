/** Events for any number of followers. */
export type Topic<E> = {
  publish(event: E): void
  /** Yields `first`, then the events that are published from now on. */
  follow(signal: AbortSignal, first?: readonly E[]): AsyncIterable<E>
}

export function createTopic<E>(): Topic<E> {
  const followers = new Set<(event: E) => void>()
  return {
    publish(event) {
      for (const put of [...followers]) put(event)
    },
    async *follow(signal, first = []) {
      const queue: E[] = [...first]
      let wake: (() => void) | undefined
      const put = (event: E) => {
        queue.push(event)
        wake?.()
      }
      followers.add(put)
      signal.addEventListener('abort', () => wake?.())
      try {
        while (!signal.aborted) {
          const event = queue.shift()
          if (event !== undefined) yield event
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        followers.delete(put)
      }
    },
  }
}
