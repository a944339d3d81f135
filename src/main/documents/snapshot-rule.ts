import type { ChangeSet, Text } from '@codemirror/state'
import type { ChangeOrigin } from '../../shared/domain/work/document.ts'
import type { HistoryReason } from '../../shared/domain/work/history-entry.ts'
import type { Clock } from '../deps.ts'

const intervalMs = 10 * 60_000
/** A deletion of this length, or of half of the text, gets a snapshot first. Units: UTF-16. */
const largeDeletionChars = 1_000
const leastDeletionChars = 100
/** Insertions within this time count as one: a take may be accepted word by word. */
const sameInsertionMs = 10_000

/** Takes snapshots: every ten minutes of change, before large deletions, and before changes that were not typed. */
export class SnapshotRule {
  #clock: Clock
  #snapshot: (reason: HistoryReason, text: Text) => void
  #lastAt: number
  /** The text that was last read anew from the file. */
  #reloaded: Text | undefined
  #lastOrigin: { origin: ChangeOrigin | undefined; at: number } = { origin: undefined, at: 0 }

  constructor(clock: Clock, snapshot: (reason: HistoryReason, text: Text) => void) {
    this.#clock = clock
    this.#snapshot = snapshot
    this.#lastAt = clock.now()
  }

  beforeChange(doc: Text, changes: ChangeSet, origin: ChangeOrigin | undefined): void {
    const at = this.#clock.now()
    const last = this.#lastOrigin
    this.#lastOrigin = { origin, at }
    // Each replacement gets its own snapshot, even if the next one follows soon.
    if (origin === 'replace') this.#take('replace', doc)
    else if (origin === 'take' || origin === 'agent' || origin === 'restore') {
      const goesOn = last.origin === origin && at - last.at < sameInsertionMs
      if (!goesOn) this.#take(origin, doc)
    } else if (origin !== 'reload' && isLargeDeletion(doc, changes)) {
      this.#take('large-deletion', doc)
    }
  }

  /**
   * Takes a snapshot of `doc` before the file's new text `next` replaces it. A `doc` that is itself unchanged from the
   * file gets one every ten minutes: a program may write the file every second.
   */
  beforeReload(doc: Text, next: Text): void {
    if (!this.#reloaded?.eq(doc) || this.#isDue()) this.#take('reload', doc)
    this.#reloaded = next
  }

  saved(doc: Text): void {
    if (this.#isDue()) this.#take('interval', doc)
  }

  #isDue(): boolean {
    return this.#clock.now() - this.#lastAt >= intervalMs
  }

  #take(reason: HistoryReason, doc: Text): void {
    this.#lastAt = this.#clock.now()
    this.#snapshot(reason, doc)
  }
}

function isLargeDeletion(doc: Text, changes: ChangeSet): boolean {
  let deleted = 0
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    deleted += Math.max(0, toA - fromA - (toB - fromB))
  })
  return deleted >= largeDeletionChars || (deleted >= leastDeletionChars && deleted * 2 >= doc.length)
}
