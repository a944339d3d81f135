import { ChangeSet } from '@codemirror/state'
import type { DocumentEvent } from '../../../shared/domain/work/document.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Log } from '../../deps.ts'

/**
 * The positions of pending continuations while the author goes on editing, so that a window that opens again, also in a
 * later host, finds each at its place.
 *
 * Units: UTF-16 positions of the open document.
 */
export type PendingPlaces = ReturnType<typeof createPendingPlaces>

export type PendingSpan = { from: number; position: number }

/** `begun` resolves once the text is known from which on the place is followed, or there is none. */
type Followed = PendingSpan & { stop: AbortController; isMoved: boolean; begun: Promise<void> }

/**
 * Calls `store` with a position that has changed, after the edited text was saved, so that the next host reads it.
 * Where `store` throws an `AppError`, it is called again after the next save.
 */
export function createPendingPlaces(log: Log, store: (takeId: string, place: PendingSpan) => void) {
  const places = new Map<string, Followed>()

  function keep(takeId: string, place: Followed): void {
    if (!place.isMoved) return
    try {
      store(takeId, { from: place.from, position: place.position })
      place.isMoved = false
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  function note(place: Followed, event: DocumentEvent): void {
    const { from, position } = place
    if (event.kind === 'snapshot') {
      // The text may be shorter than when the position was stored.
      place.position = Math.min(position, event.snapshot.text.length)
      place.from = Math.min(from, place.position)
    } else if (event.kind === 'changed') {
      for (const { changes } of event.changes) {
        const made = ChangeSet.fromJSON(changes)
        place.from = made.mapPos(place.from, -1)
        // Text that is typed exactly at the place goes in front of the continuation, so the place moves behind it.
        place.position = made.mapPos(place.position, 1)
      }
    }
    if (place.from !== from || place.position !== position) place.isMoved = true
  }

  async function read(
    takeId: string,
    place: Followed,
    events: AsyncIterable<DocumentEvent>,
    begin: () => void,
  ): Promise<void> {
    for await (const event of events) {
      note(place, event)
      begin()
      if (event.kind === 'saved' || event.kind === 'reloaded') keep(takeId, place)
    }
  }

  const drop = (takeId: string): void => {
    places.get(takeId)?.stop.abort()
    places.delete(takeId)
  }

  return {
    /** Follows `position`, and with it `from`, through the document's changes until the take is decided. */
    follow(
      takeId: string,
      position: number,
      open: (signal: AbortSignal) => AsyncIterable<DocumentEvent>,
      from: number = position,
    ): void {
      drop(takeId)
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const place = { from, position, stop: new AbortController(), isMoved: false, begun }
      places.set(takeId, place)
      read(takeId, place, open(place.stop.signal), begin)
        .catch((error: unknown) => {
          if (places.get(takeId) === place) places.delete(takeId)
          // The file was removed after the start of the run and before it was read: there is no place.
          if (error instanceof AppError) return
          log.bug(error, 'draft.pending-place')
        })
        .finally(begin)
    },
    /** Resolves once changes of the text move the place, or it is not followed. */
    begun: async (takeId: string): Promise<void> => places.get(takeId)?.begun,
    positionOf: (takeId: string): number | undefined => places.get(takeId)?.position,
    /** Returns the place with text typed or accepted there since: `from` stays before it, `position` moves behind it. */
    placeOf: (takeId: string): PendingSpan | undefined => places.get(takeId),
    /** Stops following the place of a take that was decided. */
    drop,
    close(): void {
      // The host saves all texts next.
      for (const [takeId, place] of [...places]) {
        keep(takeId, place)
        drop(takeId)
      }
    },
  }
}
