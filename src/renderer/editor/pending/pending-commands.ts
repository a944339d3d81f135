import { isolateHistory } from '@codemirror/commands'
import { Facet } from '@codemirror/state'
import { type Command, EditorView } from '@codemirror/view'
import { firstSentenceEnd } from '../../../shared/text/sentences.ts'
import { showPlace } from '../caret-in-sight.ts'
import { changeOrigin } from '../document/synced-changes.ts'
import type { PendingEvent } from '../editor-types.ts'
import { keepTab, leaveByNextTab } from '../tab-use.ts'
import {
  acceptedLength,
  closePending,
  hasNextTake,
  isRunning,
  type PendingPlace,
  pendingPlace,
} from './pending-state.ts'

type WithoutKey<E> = E extends unknown ? Omit<E, 'key'> : never

export const pendingListener = Facet.define<
  (event: WithoutKey<PendingEvent>) => void,
  (event: WithoutKey<PendingEvent>) => void
>({ combine: (listeners) => listeners[0] ?? (() => undefined) })

/** Accepts all pending text, and ends its run if it is still written: nothing goes on unasked behind it. */
export const acceptPending: Command = (view) =>
  withPlace(view, (place) => {
    if (isShown(view, place)) accept(view, place, place.rest.length)
  })

/** Accepts the next sentence; what follows stays pending behind it. A sentence still being written is not taken. */
export const acceptPendingSentence: Command = (view) =>
  withPlace(view, (place) => {
    const end = firstSentenceEnd(place.rest)
    const isComplete = end < place.rest.length || !isRunning(place.pending)
    if (isComplete && isShown(view, place)) accept(view, place, end)
  })

/** The key's command: only where the caret is at the place, elsewhere the key moves by words as always. */
export const acceptSentenceAtCaret: Command = (view) => isCaretAtPlace(view) && acceptPendingSentence(view)

/** Goes one step back: stops the run, or takes the offer away when nothing runs. */
export const stopOrDismissPending: Command = (view) =>
  withPlace(view, ({ pending, at }) => {
    const { id } = pending
    const emit = view.state.facet(pendingListener)
    if (isRunning(pending) || pending.isPlaceRunning) {
      keepTab(view)
      return emit({ kind: 'stop', id })
    }
    // A long offer may have been followed far down: the author's text is shown again.
    const back = isOfferInSight(view)
      ? [EditorView.scrollIntoView(at, { yMargin: contextLines * view.defaultLineHeight })]
      : []
    view.dispatch({ effects: [closePending.of(id), ...back] })
    leaveByNextTab(view)
    emit({ kind: 'dismissed', id })
  })

/** Shows the next take of the place; past the last one, asks for a new one. */
export const retryPending: Command = (view) =>
  withPlace(view, ({ pending }) => {
    const emit = view.state.facet(pendingListener)
    if (hasNextTake(pending)) emit({ kind: 'swap', id: pending.id, step: 1 })
    else emit({ kind: 'retry', id: pending.id, wasRunning: isRunning(pending) })
  })

/** Shows another take of the place where the pending text stands. The key is consumed even where there is none. */
export const swapPending =
  (step: -1 | 1): Command =>
  (view) =>
    withPlace(view, ({ pending }) => {
      const next = (pending.nth ?? 1) + step
      if (next < 1 || next > (pending.total ?? 1)) return
      view.state.facet(pendingListener)({ kind: 'swap', id: pending.id, step })
    })

/** Asks for other words in place of the first one that is pending, or of the one at `offset` of what is shown. */
export const askForWords =
  (offset = 0): Command =>
  (view) =>
    withPlace(view, ({ pending, rest }) => {
      if (isRunning(pending) || rest === '') return
      const { id, lead, text } = pending
      const at = Math.max(0, lead.length + text.length - rest.length + offset - lead.length)
      view.state.facet(pendingListener)({ kind: 'words', id, at: Math.min(at, text.length) })
    })

export function isCaretAtPlace(view: EditorView): boolean {
  const { main } = view.state.selection
  return main.empty && main.head === pendingPlace(view.state)?.at
}

/** Keys belong to the input method while it composes. */
export function isComposing(view: EditorView): boolean {
  return view.composing || view.compositionStarted
}

/** Runs `act` where something is pending; the key is then taken, whether or not there was anything to do. */
function withPlace(view: EditorView, act: (place: PendingPlace) => void): boolean {
  const place = pendingPlace(view.state)
  if (!place || isComposing(view)) return false
  act(place)
  return true
}

function accept(view: EditorView, place: PendingPlace, length: number): void {
  if (length === 0 || view.state.readOnly) return
  const { id } = place.pending
  const wasRunning = isRunning(place.pending)
  const isAll = length === place.rest.length
  view.dispatch({
    changes: { from: place.at, insert: place.rest.slice(0, length) },
    selection: { anchor: place.at + length },
    effects: isAll ? [closePending.of(id)] : [],
    annotations: [isolateHistory.of('full'), changeOrigin.of('take')],
    userEvent: 'input.take',
    scrollIntoView: true,
  })
  view.state.facet(pendingListener)({
    kind: 'accepted',
    id,
    acceptedLength: acceptedLength(place, length),
    isWhole: isAll,
    wasRunning: isAll && wasRunning,
  })
}

/** True where the offer is visible. Otherwise brings it into view, so that no text is accepted unseen. */
function isShown(view: EditorView, place: PendingPlace): boolean {
  const { top, bottom } = view.scrollDOM.getBoundingClientRect()
  const coords = view.coordsAtPos(place.at)
  if (coords && coords.bottom > top && coords.top < bottom) return true
  // A long offer that was followed while it streamed has its beginning above what is seen.
  if (isOfferInSight(view)) return true
  showPlace(view, place.at)
  return false
}

/** Number of lines that stay visible above the end of the text when an offer is dismissed. */
const contextLines = 5

function isOfferInSight({ scrollDOM, contentDOM }: EditorView): boolean {
  const { top, bottom } = scrollDOM.getBoundingClientRect()
  const offer = contentDOM.querySelector('.cm-pending')?.getBoundingClientRect()
  return offer !== undefined && offer.bottom > top && offer.top < bottom
}
