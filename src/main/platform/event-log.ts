import { createBroadcast } from './broadcast.ts'

export type Numbered = { seq: number }
/** An event before it is numbered. */
export type Unnumbered<E> = E extends Numbered ? Omit<E, 'seq'> : never

export type EventLogOptions<E> = {
  /** The number before the first event. */
  first: number
  /** Limits of the events that are kept for readers that reconnect. `characters`: of their JSON; no limit without it. */
  remembered: { events: number; characters?: number }
  /** True where `event` contains everything in `known`, which is then forgotten. */
  isReplaced?(known: E, event: E): boolean
}

/** Numbered events, the last of which are remembered. */
export type EventLog<E extends Numbered> = {
  /** The number of the last event. */
  readonly seq: number
  send(event: Unnumbered<E>): void
  /** Yields what came after `afterSeq` where all of it is remembered, else `snapshot`; then each new event. */
  watch(afterSeq: number | undefined, snapshot: () => E, signal: AbortSignal): AsyncGenerator<E, void, void>
  /** Ends every reader after what it has not read yet. */
  end(): void
}

export function createEventLog<E extends Numbered>(options: EventLogOptions<E>): EventLog<E> {
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
    get seq() {
      return seq
    },
    send(event) {
      seq += 1
      const numbered = { ...event, seq } as unknown as E
      remember(numbered)
      broadcast.send(numbered)
    },
    watch(afterSeq, snapshot, signal) {
      const isKnown = afterSeq !== undefined && afterSeq <= seq && afterSeq >= forgottenSeq
      const missed = isKnown
        ? known.flatMap(({ event }) => (event.seq > afterSeq ? event : []))
        : [snapshot()]
      return catchUp(missed, broadcast.subscribe(signal))
    },
    end: broadcast.end,
  }
}

async function* catchUp<E>(missed: E[], next: AsyncIterable<E>): AsyncGenerator<E, void, void> {
  yield* missed
  yield* next
}
