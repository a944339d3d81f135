import { diff } from '@codemirror/merge'
import { ChangeSet, type Text } from '@codemirror/state'

/** Depth and time of the precise comparison; beyond them it is coarser, never wrong. */
const DIFF_LIMITS = { scanLimit: 5_000, timeout: 200 }

/** Returns the changes that turn `from` into `to`, as small as can be found in a fifth of a second. */
export function changesBetween(from: Text, to: Text): ChangeSet {
  if (from.eq(to)) return ChangeSet.empty(from.length)
  const changes = diff(from.toString(), to.toString(), DIFF_LIMITS)
  return ChangeSet.of(
    changes.map((change) => ({
      from: change.fromA,
      to: change.toA,
      insert: to.slice(change.fromB, change.toB),
    })),
    from.length,
  )
}

/** Returns how much a change deletes and inserts. Units: UTF-16 code units. */
export function sizeOf(changes: ChangeSet): number {
  let size = 0
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    size += toA - fromA + inserted.length
  })
  return size
}

/** Returns how much of the text that `first` inserts `next` deletes again. Units: UTF-16 code units. */
export function insertedThenDeleted(first: ChangeSet, next: ChangeSet): number {
  let size = 0
  first.iterChanges((_fromA, _toA, fromB, toB) => {
    next.iterChanges((from, to) => {
      size += Math.max(0, Math.min(to, toB) - Math.max(from, fromB))
    })
  })
  return size
}
