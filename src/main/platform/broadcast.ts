/** One sender, any number of readers, each with its own queue. */
export type Broadcast<T> = {
  /** Sends to every reader. Returns false where there is none. */
  send(event: T): boolean
  /** Ends every reader, now and later, after what it has not read yet. */
  end(): void
  /**
   * Follows from this very moment: what is sent after this call is read, whenever reading begins.
   * Ends without an error when `signal` aborts, after what has not been read yet.
   */
  subscribe(signal: AbortSignal): AsyncGenerator<T, void, void>
}

/** Adding and removing a reader takes constant time: a window may have thousands. Each keeps only what it has not read. */
export function createBroadcast<T>(): Broadcast<T> {
  const readers = new Set<Reader<T>>()
  let isEnded = false
  return {
    send(event) {
      const heard = [...readers]
      for (const reader of heard) reader.add(event)
      return heard.length > 0
    },
    end() {
      isEnded = true
      for (const reader of readers) reader.end()
      readers.clear()
    },
    subscribe(signal) {
      if (isEnded || signal.aborted) return nothing()
      const reader = new Reader<T>()
      readers.add(reader)
      const leave = (): void => {
        readers.delete(reader)
        reader.end()
      }
      signal.addEventListener('abort', leave, { once: true })
      return read(reader, () => {
        signal.removeEventListener('abort', leave)
        leave()
      })
    },
  }
}

class Reader<T> {
  #unread: T[] = []
  #isEnded = false
  #wake: (() => void) | null = null

  add(event: T): void {
    this.#unread.push(event)
    this.#wake?.()
  }

  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  /** Waits for events and returns those since the last call; empty once the broadcast has ended. */
  async take(): Promise<T[]> {
    if (this.#unread.length === 0 && !this.#isEnded) {
      await new Promise<void>((done) => {
        this.#wake = done
      })
      this.#wake = null
    }
    const items = this.#unread
    this.#unread = []
    return items
  }
}

async function* nothing(): AsyncGenerator<never, void, void> {
  yield* []
}

async function* read<T>(reader: Reader<T>, leave: () => void): AsyncGenerator<T, void, void> {
  try {
    for (let items = await reader.take(); items.length > 0; items = await reader.take()) yield* items
  } finally {
    leave()
  }
}
