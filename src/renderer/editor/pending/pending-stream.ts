import { EditorState, type Extension, type Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { PendingContinuation } from '../editor-types.ts'
import { offerPending, pendingPlace } from './pending-state.ts'

export type PendingStreamDeps = {
  shownState(): EditorState
  draw(pending: PendingContinuation): void
  requestFrame(act: () => void): void
  setTimer(act: () => void, delayMs: number): void
  now(): number
}

/** The author counts as not typing after this time without a key. Units: ms. */
const typingMs = 250
/** Longest time that text waits while the author types. Units: ms. */
const longestWaitMs = 2_000
/** Offered text beyond the author's change that is enough to compare his next input with. Units: UTF-16. */
const enoughText = 20

/**
 * Draws text that streams into an offer at most once a frame, and while the author types only when he pauses, so that a
 * key costs no more than without a stream. Where he is about to type past what is shown, it is drawn with his change.
 */
export class PendingStream {
  readonly #deps: PendingStreamDeps
  #waiting: PendingContinuation | null = null
  #waitsSince = 0
  #typedAt = Number.NEGATIVE_INFINITY
  #isScheduled = false

  constructor(deps: PendingStreamDeps) {
    this.#deps = deps
  }

  /** True where `pending` only goes on with what is shown, and is drawn later. */
  takes(pending: PendingContinuation | null): boolean {
    const shown = pendingPlace(this.#deps.shownState())?.pending
    if (!shown || !pending || !goesOn(shown, pending)) {
      this.#waiting = null
      return false
    }
    if (this.#waiting === null) this.#waitsSince = this.#deps.now()
    this.#waiting = pending
    this.#schedule()
    return true
  }

  flush(): void {
    const pending = this.#waiting
    this.#waiting = null
    if (pending !== null) this.#deps.draw(pending)
  }

  clear(): void {
    this.#waiting = null
  }

  /** Leaves a composition alone: text that waits is drawn when it pauses. */
  readonly extension: Extension = [
    EditorState.transactionExtender.of((transaction) => {
      const isOurs = transaction.startState === this.#deps.shownState()
      const isDue = transaction.docChanged && !transaction.isUserEvent('input.type.compose')
      if (this.#waiting === null || !isOurs || !isDue || hasEnough(transaction)) return null
      return { effects: offerPending.of({ pending: this.#waiting, position: 0 }) }
    }),
    EditorView.updateListener.of(({ docChanged, transactions }) => {
      if (docChanged) this.#typedAt = this.#deps.now()
      if (this.#waiting === null) return
      const drawn = transactions.flatMap(({ effects }) => effects).filter((effect) => effect.is(offerPending))
      if (drawn.some(({ value }) => value?.pending === this.#waiting)) this.#waiting = null
    }),
  ]

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const idleMs = this.#deps.now() - this.#typedAt
    if (idleMs < typingMs) this.#deps.setTimer(() => this.#afterTyping(), typingMs - idleMs)
    else this.#drawInFrame()
  }

  #afterTyping(): void {
    this.#isScheduled = false
    if (this.#waiting === null) return
    const now = this.#deps.now()
    const isTyping = now - this.#typedAt < typingMs && now - this.#waitsSince < longestWaitMs
    if (isTyping) this.#schedule()
    else this.#drawInFrame()
  }

  #drawInFrame(): void {
    this.#isScheduled = true
    this.#deps.requestFrame(() => {
      this.#isScheduled = false
      this.flush()
    })
  }
}

function hasEnough({ startState, changes }: Transaction): boolean {
  const offered = pendingPlace(startState)?.rest.length ?? 0
  let inserted = 0
  changes.iterChanges((_fromA, _toA, fromB, toB) => {
    inserted += toB - fromB
  })
  return offered - inserted >= enoughText
}

function goesOn(shown: PendingContinuation, next: PendingContinuation): boolean {
  return (
    shown.id === next.id &&
    shown.phase === 'writing' &&
    next.phase === 'writing' &&
    shown.lead === next.lead &&
    shown.note === next.note &&
    shown.nth === next.nth &&
    shown.total === next.total &&
    next.text.startsWith(shown.text)
  )
}
