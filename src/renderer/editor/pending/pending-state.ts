import { type EditorState, StateEffect, StateField, type Text, type Transaction } from '@codemirror/state'
import type { PendingContinuation } from '../editor-types.ts'

/**
 * A pending continuation and its place in the document.
 *
 * Shape: `rest` goes in at `at` and is shown there. Of `lead + text`, `consumed` units are behind us (accepted,
 * or typed by the author himself), and the next `matched` are what stands between `from` and `at`; so that
 * taking them back, by hand or by undo, offers them again.
 * Units: UTF-16.
 */
export type PendingPlace = {
  pending: PendingContinuation
  from: number
  at: number
  consumed: number
  matched: number
  rest: string
}

type PendingState = {
  place: PendingPlace | null
  /** Ids that were accepted as a whole or dismissed; what still arrives for them is not shown. */
  closedIds: readonly string[]
}

const REMEMBERED_IDS = 100

/** `position` counts in this document and matters for a new id only. */
export const offerPending = StateEffect.define<{ pending: PendingContinuation; position: number } | null>()
/** Ends the offer with this id. */
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

/** How much of the take's text is in the document when `inserted` units of the rest are. */
export function acceptedLength(place: PendingPlace, inserted: number): number {
  return Math.max(0, place.consumed + place.matched + inserted - place.pending.lead.length)
}

function offered(
  place: PendingPlace | null,
  offer: { pending: PendingContinuation; position: number } | null,
  closedIds: readonly string[],
  doc: Text,
): PendingPlace | null {
  if (!offer) return null
  const { pending } = offer
  if (place?.pending.id === pending.id) return withRest({ ...place, pending })
  const isSwap = place !== null && pending.placeId !== undefined && place.pending.placeId === pending.placeId
  if (isSwap) return swapped(place, pending, doc)
  if (closedIds.includes(pending.id)) return place
  const at = Math.max(0, Math.min(offer.position, doc.length))
  return withRest({ pending: offer.pending, from: at, at, consumed: 0, matched: 0 })
}

/**
 * Another take in the same place. What stands between `from` and `at`, also what an input method composes there, is
 * compared with the new one as with the one before it.
 */
function swapped({ from, at }: PendingPlace, pending: PendingContinuation, doc: Text): PendingPlace {
  const isMatched = (pending.lead + pending.text).startsWith(doc.sliceString(from, at))
  return withRest({ pending, from, at, consumed: 0, matched: isMatched ? at - from : 0 })
}

/** What is typed at the place stands before the offer; while an input method composes, it is not compared yet. */
function movedPlace(place: PendingPlace, transaction: Transaction): PendingPlace {
  const moved = {
    ...place,
    from: transaction.changes.mapPos(place.from, -1),
    at: transaction.changes.mapPos(place.at, 1),
  }
  return transaction.isUserEvent('input.type.compose') ? moved : settledPlace(moved, transaction.newDoc)
}

function settledPlace(place: PendingPlace, doc: Text): PendingPlace {
  const whole = place.pending.lead + place.pending.text
  const length = place.at - place.from
  const isShort = length <= whole.length - place.consumed
  if (isShort && whole.startsWith(doc.sliceString(place.from, place.at), place.consumed)) {
    return place.matched === length ? place : withRest({ ...place, matched: length })
  }
  return { ...place, from: place.at, consumed: place.consumed + place.matched, matched: 0 }
}

function withRest(place: Omit<PendingPlace, 'rest'>): PendingPlace {
  const { lead, text } = place.pending
  return { ...place, rest: (lead + text).slice(place.consumed + place.matched) }
}
