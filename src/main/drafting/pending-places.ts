import { ChangeSet } from '@codemirror/state'
import type { DocumentEvent } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../deps.ts'

/**
 * The positions of pending continuations while the author goes on editing, so that a window that opens again finds
 * each at its place.
 *
 * Units: UTF-16 positions of the open document.
 */
export type PendingPlaces = {
  /** Follows `position`, and with it `from`, through the document's changes until the take is decided. */
  follow(
    takeId: string,
    position: number,
    open: (signal: AbortSignal) => AsyncIterable<DocumentEvent>,
    from?: number,
  ): void
  positionOf(takeId: string): number | undefined
  /** Returns the place with text typed or accepted there since: `from` stays before it, `position` moves behind it. */
  placeOf(takeId: string): PendingSpan | undefined
  /** Stops following the place of a take that was decided. */
  drop(takeId: string): void
  close(): void
}

export type PendingSpan = { from: number; position: number }

export function createPendingPlaces(log: Log): PendingPlaces {
  const places = new Map<string, PendingSpan & { stop: AbortController }>()

  async function read(place: PendingSpan, events: AsyncIterable<DocumentEvent>): Promise<void> {
    for await (const event of events) {
      if (event.kind !== 'changed') continue
      for (const { changes } of event.changes) {
        const made = ChangeSet.fromJSON(changes)
        place.from = made.mapPos(place.from, -1)
        // Text that is typed exactly at the place goes in front of the continuation, so the place moves behind it.
        place.position = made.mapPos(place.position, 1)
      }
    }
  }

  const drop = (takeId: string): void => {
    places.get(takeId)?.stop.abort()
    places.delete(takeId)
  }

  return {
    follow(takeId, position, open, from = position) {
      drop(takeId)
      const place = { from, position, stop: new AbortController() }
      places.set(takeId, place)
      read(place, open(place.stop.signal)).catch((error: unknown) => {
        places.delete(takeId)
        // The file was removed after the start of the run and before it was read: there is no place.
        if (error instanceof AppError) return
        log.bug(error, 'draft.pending-place')
      })
    },
    positionOf: (takeId) => places.get(takeId)?.position,
    placeOf: (takeId) => places.get(takeId),
    drop,
    close() {
      for (const takeId of [...places.keys()]) drop(takeId)
    },
  }
}
