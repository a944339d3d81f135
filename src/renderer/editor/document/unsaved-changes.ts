import { diff } from '@codemirror/merge'
import { ChangeSet, type Text } from '@codemirror/state'
import type { ChangeOrigin } from '../../../shared/domain/work/document.ts'

/** A change of this window that is on its way to main. */
export type LocalChange = { changes: ChangeSet; origin: ChangeOrigin | undefined }

/** A change that main has and the file has not. `version`: main's after it. */
export type UnsavedChange = LocalChange & { isOwn: boolean; version: number }

/** The changes from the text that is surely in the file to the text of the window. */
export type Unsaved = {
  base: Text
  /** Changes of all windows, in main's order, then the window's own that main has not confirmed. */
  log: readonly (LocalChange & { isOwn: boolean })[]
}

export type RebasedUnsaved = {
  /** Changes that lead from the saved text to `text`: changes of the log, then those of others. */
  contained: (LocalChange & { isOwn: boolean })[]
  /** The window's own changes that `text` lacks, to be made on it one after the other. */
  rest: LocalChange[]
  /** Leads from the window's text to `text` with `rest`. */
  changes: ChangeSet
}

/** Number of texts that are compared letter by letter where none of them equals the newly read text. */
const limitReadings = 12

/**
 * Finds out how much of `log` a newly read text contains, and rebases the window's own remaining changes on it.
 *
 * A host that was killed leaves the file at some change of the log. Where the text is exactly the one after a change,
 * the rest follows from there. Otherwise somebody also edited the file: of all readings, the one is taken by which the
 * fewest typed characters would vanish, then the one with the smallest difference. Other windows' changes that the text
 * lacks are left to those windows. `atLeast`: the text is known to contain so many changes of the log.
 */
export function rebaseUnsaved({ base, log }: Unsaved, text: Text, atLeast = 0): RebasedUnsaved {
  const texts = [base]
  for (const { changes } of log) texts.push(changes.apply(texts.at(-1) ?? base))
  const { count, theirs } = readingOf(log, texts, text, Math.min(atLeast, log.length))
  let changes = theirs
  const rest: LocalChange[] = []
  for (const [offset, change] of log.slice(count).entries()) {
    if (change.isOwn) {
      rest.push({ changes: change.changes.map(changes), origin: change.origin })
      changes = changes.map(change.changes, true)
    } else {
      changes = change.changes.invert(texts[count + offset] ?? base).compose(changes)
    }
  }
  const others = { changes: theirs, origin: undefined, isOwn: false }
  return { contained: [...log.slice(0, count), others], rest, changes }
}

type Reading = { count: number; theirs: ChangeSet }

function readingOf(log: Unsaved['log'], texts: readonly Text[], text: Text, atLeast: number): Reading {
  for (let count = log.length; count >= atLeast; count -= 1) {
    const before = texts[count]
    if (before?.length === text.length && before.eq(text))
      return { count, theirs: ChangeSet.empty(text.length) }
  }
  return likeliest(texts[0] ?? text, log, sampled(atLeast, log.length), text)
}

/**
 * Returns how many of the changes `log`, which begins at `base`, a text most likely contains, and what others changed:
 * of all `counts`, the one by which the fewest typed characters would vanish, then the one with the smallest difference.
 */
export function likeliest(
  base: Text,
  log: readonly LocalChange[],
  counts: readonly number[],
  text: Text,
): Reading {
  const readings = counts.map((count) => {
    const typed = log.slice(0, count)
    const ours = typed.reduce((all, { changes }) => all.compose(changes), ChangeSet.empty(base.length))
    const theirs = letterChanges(ours.apply(base), text)
    return { count, theirs, size: sizeOf(theirs), lost: insertedThenDeleted(ours, theirs) }
  })
  const [likely] = readings.sort((a, b) => a.lost - b.lost || a.size - b.size || b.count - a.count)
  if (!likely) throw new RangeError('No reading of the text was given')
  return likely
}

/** Returns evenly spread numbers from `from` to `to`, both included. */
function sampled(from: number, to: number): number[] {
  const steps = Math.min(to - from, limitReadings - 1)
  if (steps <= 0) return [from]
  return [
    ...new Set(
      Array.from({ length: steps + 1 }, (_, step) => from + Math.round(((to - from) * step) / steps)),
    ),
  ]
}

/** Depth and time of the precise comparison; beyond them it is coarser, never wrong. */
const DIFF_LIMITS = { scanLimit: 5_000, timeout: 200 }

/**
 * Returns the changes that turn `from` into `to`, as small as can be found in a fifth of a second. Unlike the host's
 * `changesBetween`, which compares lines, it compares letters: a reading is judged by the typed letters that it loses,
 * and in prose a whole paragraph is one line.
 */
function letterChanges(from: Text, to: Text): ChangeSet {
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
function sizeOf(changes: ChangeSet): number {
  let size = 0
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    size += toA - fromA + inserted.length
  })
  return size
}

/** Returns how much of the text that `first` inserts `next` deletes again. Units: UTF-16 code units. */
function insertedThenDeleted(first: ChangeSet, next: ChangeSet): number {
  let size = 0
  first.iterChanges((_fromA, _toA, fromB, toB) => {
    next.iterChanges((from, to) => {
      size += Math.max(0, Math.min(to, toB) - Math.max(from, fromB))
    })
  })
  return size
}
