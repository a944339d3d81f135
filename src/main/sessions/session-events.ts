import type { SessionEvent } from '../../shared/domain/session.ts'
import { createBroadcast } from '../platform/broadcast.ts'

/** Events that a reconnecting window may catch up with; one that is further behind gets a snapshot. */
const rememberedEvents = 1000

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
  readonly #events: SessionEvent[] = []
  #seq: number

  constructor(begunAt: number) {
    this.#seq = begunAt
  }

  get seq(): number {
    return this.#seq
  }

  send(event: NewSessionEvent): void {
    this.#seq += 1
    const numbered = { ...event, seq: this.#seq } as SessionEvent
    this.#events.push(numbered)
    if (this.#events.length > rememberedEvents) this.#events.shift()
    this.#broadcast.send(numbered)
  }

  /** What came after `afterSeq` where all of it is remembered, else `snapshot`; then each event. */
  watch(
    afterSeq: number | undefined,
    snapshot: () => SessionEvent,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, void, void> {
    const isKnown =
      afterSeq !== undefined && afterSeq <= this.#seq && this.#seq - afterSeq <= this.#events.length
    const missed = isKnown ? this.#events.filter((event) => event.seq > afterSeq) : [snapshot()]
    return catchUp(missed, this.#broadcast.subscribe(signal))
  }

  end(): void {
    this.#broadcast.end()
  }
}

async function* catchUp(
  missed: SessionEvent[],
  next: AsyncIterable<SessionEvent>,
): AsyncGenerator<SessionEvent, void, void> {
  yield* missed
  yield* next
}
