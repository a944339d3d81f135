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
export function createSnapshotRule(clock: Clock, snapshot: (reason: HistoryReason, text: Text) => void) {
  let lastAt = clock.now()
  /** The text that was last read anew from the file. */
  let reloaded: Text | undefined
  let last: { origin: ChangeOrigin | undefined; at: number } = { origin: undefined, at: 0 }

  const isDue = (): boolean => clock.now() - lastAt >= intervalMs
  function take(reason: HistoryReason, doc: Text): void {
    lastAt = clock.now()
    snapshot(reason, doc)
  }

  return {
    beforeChange(doc: Text, changes: ChangeSet, origin: ChangeOrigin | undefined): void {
      const at = clock.now()
      const goesOn = last.origin === origin && at - last.at < sameInsertionMs
      last = { origin, at }
      // Each replacement gets its own snapshot, even if the next one follows soon.
      if (origin === 'replace') take('replace', doc)
      else if (origin === 'take' || origin === 'agent' || origin === 'restore') {
        if (!goesOn) take(origin, doc)
      } else if (origin !== 'reload' && isLargeDeletion(doc, changes)) take('large-deletion', doc)
    },
    /**
     * Takes a snapshot of `doc` before the file's new text `next` replaces it. A `doc` that is itself unchanged from the
     * file gets one every ten minutes: a program may write the file every second.
     */
    beforeReload(doc: Text, next: Text): void {
      if (!reloaded?.eq(doc) || isDue()) take('reload', doc)
      reloaded = next
    },
    saved(doc: Text): void {
      if (isDue()) take('interval', doc)
    },
  }
}

function isLargeDeletion(doc: Text, changes: ChangeSet): boolean {
  let deleted = 0
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    deleted += Math.max(0, toA - fromA - (toB - fromB))
  })
  return deleted >= largeDeletionChars || (deleted >= leastDeletionChars && deleted * 2 >= doc.length)
}
