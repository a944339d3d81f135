import type { SessionEvent } from '../../shared/domain/session/session.ts'
import { createEventLog, type EventLog } from '../platform/broadcast.ts'

/** The events that a reconnecting window may catch up with; a window that is further behind gets a snapshot. */
const remembered = { events: 1000, characters: 1_000_000 }

/**
 * Makes the log of a session's events, numbered as long as its host holds it.
 *
 * Shape: `begunAt` is when the numbering began, in ms, and the number before the first event: a window that asks for
 * events after a number of another host gets a snapshot.
 */
export function createSessionEvents(begunAt: number): EventLog<SessionEvent> {
  return createEventLog({ first: begunAt, remembered, isReplaced })
}

/** True where `event` replaces `known`: a whole state, or a whole item, holds all that was sent of it before. */
function isReplaced(known: SessionEvent, event: SessionEvent): boolean {
  if (event.type === 'state') return known.type === 'state'
  if (event.type !== 'item') return false
  const { itemId } = event.item
  return known.type === 'item' ? known.item.itemId === itemId : 'itemId' in known && known.itemId === itemId
}
