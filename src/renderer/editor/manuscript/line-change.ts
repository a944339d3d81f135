import type { ChangeSet, Text } from '@codemirror/state'

/**
 * A change at one place of one line. Shape: `before` is the character (a UTF-16 unit) in front of it, `rest` the line
 * behind it. Units: positions of the old text (A) and of the new one (B).
 */
export type LineChange = {
  fromA: number
  toA: number
  fromB: number
  toB: number
  deleted: string
  inserted: string
  before: string
  rest: string
}

/** Longer changes are not typed by a key. Units: UTF-16. */
const limitLength = 200

/** Returns the change of a transaction where it is short and within one line; otherwise null. */
export function lineChange(changes: ChangeSet, oldDoc: Text, newDoc: Text): LineChange | null {
  let places = 0
  const place = { fromA: 0, toA: 0, fromB: 0, toB: 0 }
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    places += 1
    Object.assign(place, { fromA, toA, fromB, toB })
  })
  const { fromA, toA, fromB, toB } = place
  if (places !== 1 || toA - fromA > limitLength || toB - fromB > limitLength) return null
  const line = newDoc.lineAt(fromB)
  const deleted = oldDoc.sliceString(fromA, toA)
  if (toB > line.to || deleted.includes('\n')) return null
  const [start, end] = [fromB - line.from, toB - line.from]
  const { text } = line
  const before = start === 0 ? '' : text.charAt(start - 1)
  return { ...place, deleted, inserted: text.slice(start, end), before, rest: text.slice(end) }
}

const rubySigns = /[｜|《》]/

/**
 * True where the readings and dots of the line are what they were: each ends before the change, with a character
 * between, and nothing of the notation is in the change or behind it.
 */
export function isBehindRuby({ deleted, inserted, before, rest }: LineChange): boolean {
  return [inserted, deleted, before, rest].every((text) => !rubySigns.test(text))
}
