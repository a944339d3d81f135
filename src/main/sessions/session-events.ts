import type { SessionEvent } from '../../shared/domain/session/session.ts'
import { createBroadcast } from '../platform/broadcast.ts'

/** What a reconnecting window may catch up with; one that is further behind gets a snapshot. */
const remembered = { events: 1000, characters: 1_000_000 }

type Unnumbered<E> = E extends { seq: number } ? Omit<E, 'seq'> : never
export type NewSessionEvent = Unnumbered<Exclude<SessionEvent, { type: 'snapshot' }>>

/**
 * A session's events, numbered as long as its host holds it.
 *
 * Shape: `begunAt` is when that began, in ms, and the number before the first: whoever asks for what came after a
 * number of another time gets a snapshot.
 */
export class SessionEvents {
  readonly #broadcast = createBroadcast<SessionEvent>()
  #events: { event: SessionEvent; characters: number }[] = []
  #characters = 0
  /** Up to here events may be forgotten. */
  #forgottenSeq: number
  #seq: number

  constructor(begunAt: number) {
    this.#seq = begunAt
    this.#forgottenSeq = begunAt
  }

  get seq(): number {
    return this.#seq
  }

  send(event: NewSessionEvent): void {
    this.#seq += 1
    const numbered = { ...event, seq: this.#seq } as SessionEvent
    this.#remember(numbered)
    this.#broadcast.send(numbered)
  }

  /** What came after `afterSeq` where all of it is remembered, else `snapshot`; then each event. */
  watch(
    afterSeq: number | undefined,
    snapshot: () => SessionEvent,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, void, void> {
    const isKnown = afterSeq !== undefined && afterSeq <= this.#seq && afterSeq >= this.#forgottenSeq
    const missed = isKnown
      ? this.#events.flatMap(({ event }) => (event.seq > afterSeq ? event : []))
      : [snapshot()]
    return catchUp(missed, this.#broadcast.subscribe(signal))
  }

  #remember(event: SessionEvent): void {
    if (event.type === 'state' || event.type === 'item')
      this.#events = this.#events.filter((known) => {
        if (!isReplaced(known.event, event)) return true
        this.#characters -= known.characters
        return false
      })
    const { length: characters } = JSON.stringify(event)
    this.#events.push({ event, characters })
    this.#characters += characters
    while (this.#events.length > remembered.events || this.#characters > remembered.characters) {
      const oldest = this.#events.shift()
      if (oldest === undefined) return
      this.#characters -= oldest.characters
      this.#forgottenSeq = oldest.event.seq
    }
  }

  end(): void {
    this.#broadcast.end()
  }
}

/** A whole state, or a whole item, holds all that was told of it before. */
function isReplaced(known: SessionEvent, event: SessionEvent): boolean {
  if (event.type === 'state') return known.type === 'state'
  if (event.type !== 'item') return false
  const { itemId } = event.item
  return known.type === 'item' ? known.item.itemId === itemId : 'itemId' in known && known.itemId === itemId
}

async function* catchUp(
  missed: SessionEvent[],
  next: AsyncIterable<SessionEvent>,
): AsyncGenerator<SessionEvent, void, void> {
  yield* missed
  yield* next
}
