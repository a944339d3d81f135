/** One sender, any number of readers, each with its own queue. */
export type Broadcast<T> = ReturnType<typeof createBroadcast<T>>

/** Adding and removing a reader takes constant time: a window may have thousands. Each keeps only what it has not read. */
export function createBroadcast<T>() {
  const readers = new Set<Reader<T>>()
  let isEnded = false
  return {
    /** Sends to every reader. Returns false where there is none. */
    send(event: T): boolean {
      const heard = [...readers]
      for (const reader of heard) reader.add(event)
      return heard.length > 0
    },
    /** Ends every reader, now and later, after what it has not read yet. */
    end(): void {
      isEnded = true
      for (const reader of readers) reader.end()
      readers.clear()
    },
    /**
     * Follows from this very moment: what is sent after this call is read, whenever reading begins.
     * Ends without an error when `signal` aborts, after what has not been read yet.
     */
    subscribe(signal: AbortSignal): AsyncGenerator<T, void, void> {
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

/** Yields what there is by now, then what comes. */
export async function* startingWith<T>(
  first: readonly T[],
  later: AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  yield* first
  yield* later
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

type Numbered = { seq: number }
/** An event before it is numbered. */
export type Unnumbered<E> = E extends Numbered ? Omit<E, 'seq'> : never

/** Numbered events, the last of which are remembered. */
export type EventLog<E extends Numbered> = ReturnType<typeof createEventLog<E>>

export function createEventLog<E extends Numbered>(options: {
  /** The number before the first event. */
  first: number
  /** Limits of the events that are kept for readers that reconnect. `characters`: of their JSON; no limit without it. */
  remembered: { events: number; characters?: number }
  /** True where `event` contains everything in `known`, which is then forgotten. */
  isReplaced?(known: E, event: E): boolean
}) {
  const { events: mostEvents, characters: mostCharacters } = options.remembered
  const { isReplaced } = options
  const broadcast = createBroadcast<E>()
  let known: { event: E; characters: number }[] = []
  let characters = 0
  let seq = options.first
  /** The number up to which events may have been forgotten. */
  let forgottenSeq = options.first

  function remember(event: E): void {
    if (isReplaced !== undefined)
      known = known.filter((one) => {
        if (!isReplaced(one.event, event)) return true
        characters -= one.characters
        return false
      })
    const size = mostCharacters === undefined ? 0 : JSON.stringify(event).length
    known.push({ event, characters: size })
    characters += size
    while (known.length > mostEvents || characters > (mostCharacters ?? 0)) {
      const oldest = known.shift()
      if (oldest === undefined) return
      characters -= oldest.characters
      forgottenSeq = oldest.event.seq
    }
  }

  return {
    /** The number of the last event. */
    get seq() {
      return seq
    },
    send(event: Unnumbered<E>): void {
      seq += 1
      const numbered = { ...event, seq } as unknown as E
      remember(numbered)
      broadcast.send(numbered)
    },
    /** Yields what came after `afterSeq` where all of it is remembered, else `snapshot`; then each new event. */
    watch(afterSeq: number | undefined, snapshot: () => E, signal: AbortSignal) {
      const isKnown = afterSeq !== undefined && afterSeq <= seq && afterSeq >= forgottenSeq
      const missed = isKnown
        ? known.flatMap(({ event }) => (event.seq > afterSeq ? event : []))
        : [snapshot()]
      return startingWith(missed, broadcast.subscribe(signal))
    },
    end: broadcast.end,
  }
}
