import { type EditorState, StateEffect, StateField, type Text, type Transaction } from '@codemirror/state'
import type { PendingContinuation } from '../editor-types.ts'

/**
 * A pending continuation and its place in the document.
 *
 * Shape: `rest` goes in at `at` and is shown there. Of `lead + text`, `consumed` units are behind us (accepted,
 * or typed by the author himself), and the next `matched` are what stands between `from` and `at`; so that
 * taking them back, by hand or by undo, offers them again. `awaited`: how the text must begin for both to hold,
 * where it is still too short to tell.
 * Units: UTF-16.
 */
export type PendingPlace = {
  pending: PendingContinuation
  from: number
  at: number
  consumed: number
  matched: number
  awaited: string | null
  rest: string
}

type PendingState = {
  place: PendingPlace | null
  /** Ids that were accepted as a whole or dismissed; what still arrives for them is not shown. */
  closedIds: readonly string[]
}

const REMEMBERED_IDS = 100

/** Offers a text. `position` and `from` are of this document and used for a new id only. */
export const offerPending = StateEffect.define<Offer | null>()
type Offer = { pending: PendingContinuation; position: number; from?: number }
export const closePending = StateEffect.define<string>({ map: (id) => id })
/** The input method has finished: what it typed may be compared with the offer. */
export const settlePending = StateEffect.define<null>()

export const pendingField = StateField.define<PendingState>({
  create: () => ({ place: null, closedIds: [] }),
  update(value, transaction) {
    let { place, closedIds } = value
    if (place && transaction.docChanged) place = movedPlace(place, transaction)
    for (const effect of transaction.effects) {
      if (effect.is(offerPending)) place = offered(place, effect.value, closedIds, transaction.newDoc)
      if (effect.is(settlePending) && place) place = settledPlace(place, transaction.newDoc)
      if (effect.is(closePending)) {
        closedIds = [...closedIds.slice(-REMEMBERED_IDS), effect.value]
        if (place?.pending.id === effect.value) place = null
      }
    }
    return place === value.place && closedIds === value.closedIds ? value : { place, closedIds }
  },
})

export function pendingPlace(state: EditorState): PendingPlace | null {
  return state.field(pendingField, false)?.place ?? null
}

export function isRunning({ phase }: PendingContinuation): boolean {
  return phase === 'waiting' || phase === 'writing'
}

/** True where a later take of the same place is there to be shown. */
export function hasNextTake({ nth = 1, total = 1 }: PendingContinuation): boolean {
  return nth < total
}

/** Returns how much of the take's text is in the document when `inserted` units of the rest are. */
export function acceptedLength(place: PendingPlace, inserted: number): number {
  return Math.max(0, place.consumed + place.matched + inserted - place.pending.lead.length)
}

function offered(
  place: PendingPlace | null,
  offer: Offer | null,
  closedIds: readonly string[],
  doc: Text,
): PendingPlace | null {
  if (!offer) return null
  const { pending } = offer
  if (place?.pending.id === pending.id) {
    const next = { ...place, pending }
    return place.awaited === null ? withRest(next) : compared(next, place.awaited, doc)
  }
  const isSwap = place !== null && pending.placeId !== undefined && place.pending.placeId === pending.placeId
  if (isSwap) return compared({ ...place, pending }, wholeOf(place.pending), doc)
  if (closedIds.includes(pending.id)) return place
  const at = Math.max(0, Math.min(offer.position, doc.length))
  const from = Math.max(0, Math.min(offer.from ?? at, at))
  const found = compared({ pending, from, at, consumed: 0, matched: 0, awaited: null }, '', doc)
  // Text that does not begin the offer is ignored from now on; what is typed next may begin it.
  return found.matched === 0 ? { ...found, from: at } : found
}

/**
 * Places another take of the same place, or one whose place is found again. Text that the author already has by the
 * take before it (the first `consumed` units of `before`), and what stands between `from` and `at`, also of a
 * composition, is not offered again where this take begins with it. A take that begins otherwise is offered whole.
 */
function compared(place: Omit<PendingPlace, 'rest'>, before: string, doc: Text): PendingPlace {
  const { pending, from, at, consumed } = place
  const standing = doc.sliceString(from, at)
  const known = before.slice(0, consumed) + standing
  const whole = wholeOf(pending)
  if (whole.startsWith(known)) return withRest({ ...place, matched: standing.length, awaited: null })
  if (isRunning(pending) && known.startsWith(whole))
    return withRest({ ...place, matched: standing.length, awaited: known })
  const matched = whole.startsWith(standing) ? standing.length : 0
  return withRest({ ...place, consumed: 0, matched, awaited: null })
}

/** Moves a place with a change. Text typed there goes before the offer; a composition is not compared with it yet. */
function movedPlace(place: PendingPlace, transaction: Transaction): PendingPlace {
  const moved = {
    ...place,
    from: transaction.changes.mapPos(place.from, -1),
    at: transaction.changes.mapPos(place.at, 1),
  }
  return transaction.isUserEvent('input.type.compose') ? moved : settledPlace(moved, transaction.newDoc)
}

function settledPlace(place: PendingPlace, doc: Text): PendingPlace {
  const whole = wholeOf(place.pending)
  const length = place.at - place.from
  const isShort = length <= whole.length - place.consumed
  if (isShort && whole.startsWith(doc.sliceString(place.from, place.at), place.consumed)) {
    return place.matched === length ? place : withRest({ ...place, matched: length })
  }
  return { ...place, from: place.at, consumed: place.consumed + place.matched, matched: 0 }
}

function withRest(place: Omit<PendingPlace, 'rest'>): PendingPlace {
  return { ...place, rest: wholeOf(place.pending).slice(place.consumed + place.matched) }
}

function wholeOf({ lead, text }: PendingContinuation): string {
  return lead + text
}
