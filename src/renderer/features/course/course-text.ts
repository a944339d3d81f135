import {
  type AgentCourse,
  type CourseItem,
  courseLimits,
} from '../../../shared/domain/session/agent-course.ts'
import type { SessionState } from '../../../shared/domain/session/session.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { countGraphemes } from '../../../shared/text/graphemes.ts'

export type CourseValue = AgentCourse[CourseItem]

/** Returns how long an item may be; `items` is null for an item of one line. Units: graphemes, lines. */
export function limitOf(item: CourseItem): { characters: number; items: number | null } {
  const limit = courseLimits[item]
  return { characters: limit.characters, items: 'items' in limit ? limit.items : null }
}

/** Returns an item as it is edited: a list has one line for each of its entries. */
export function editedText(value: CourseValue): string {
  return typeof value === 'string' ? value : value.join('\n')
}

type CheckedText = {
  value: CourseValue
  problem: 'too-long' | 'too-many' | null
  /** Length of the longest line. Units: graphemes. */
  characters: number
}

/** Reads a text as the value of an item. Nothing is cut: text over the limit is reported. */
export function checkedText(item: CourseItem, text: string): CheckedText {
  const { characters, items } = limitOf(item)
  const entries = (items === null ? [text.replace(/\s*\n\s*/g, ' ')] : text.split('\n'))
    .map((line) => line.trim())
    .filter((line) => items === null || line !== '')
  const longest = Math.max(0, ...entries.map(countGraphemes))
  const isTooMany = items !== null && entries.length > items
  return {
    value: items === null ? (entries[0] ?? '') : entries,
    problem: longest > characters ? 'too-long' : isTooMany ? 'too-many' : null,
    characters: longest,
  }
}

function isSameValue(a: CourseValue, b: CourseValue): boolean {
  return editedText(a) === editedText(b)
}

/**
 * Returns what an edit writes. Null where the user has changed nothing of what stood there when it was begun, or the
 * item says the same by now: what the model has written meanwhile stays.
 */
export function editedValue(written: CourseValue, begun: CourseValue, now: CourseValue): CourseValue | null {
  return isSameValue(written, begun) || isSameValue(written, now) ? null : written
}

/** True where the brief has something to show of an item: its value, its steps, or what the model proposes. */
export function hasEntry(
  items: readonly SessionItem[],
  { course, pinned, todos }: Pick<SessionState, 'course' | 'pinned' | 'todos'>,
  item: CourseItem,
): boolean {
  if (course[item].length > 0 || (item === 'planBrief' && todos.length > 0)) return true
  return proposalFor(items, course, pinned, item) !== null
}

/** Returns the model's last proposal for a pinned item; null once the item has that value, or another kind of value. */
export function proposalFor(
  items: readonly SessionItem[],
  course: AgentCourse,
  pinned: readonly CourseItem[],
  item: CourseItem,
): { itemId: string; value: CourseValue } | null {
  if (!pinned.includes(item)) return null
  for (const one of items.toReversed()) {
    if (one.kind !== 'notice' || one.notice.kind !== 'course-proposed' || one.notice.item !== item) continue
    const { value } = one.notice
    const isUsable = Array.isArray(value) === Array.isArray(course[item]) && !isSameValue(value, course[item])
    return isUsable ? { itemId: one.itemId, value } : null
  }
  return null
}
