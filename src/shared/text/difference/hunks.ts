import { diffArrays } from 'diff'
import { commonEnds } from './text-similarity.ts'

/**
 * One place where two texts differ: the smallest part of a change that can be accepted or refused.
 *
 * Units: `oldFrom` and `newFrom` are lines from 1; where there are no lines on that side, the line before which
 * the others stand. Shape: lines carry their line end (LF or CRLF, none at the end of a text without one), so
 * that a change of line ends is a change. Unchanged lines are never part of it.
 */
export type Hunk = {
  index: number
  oldFrom: number
  oldLines: string[]
  newFrom: number
  newLines: string[]
}

/** The most removed and added lines compared; beyond it, all between the unchanged ends is one hunk. */
const limitChangedLines = 1_200

/** Returns the hunks between two texts, in order. The same texts give the same hunks in the window and in main. */
export function diffHunks(oldText: string, newText: string): Hunk[] {
  return hunksOf(linesOf(oldText), linesOf(newText))
}

/** Returns the new text with the `refused` hunks, by index, reverted: with all of them it is the old text. */
export function applyHunks(oldText: string, newText: string, refused: ReadonlySet<number>): string {
  if (refused.size === 0) return newText
  const newLines = linesOf(newText)
  const parts: string[] = []
  let at = 0
  for (const hunk of hunksOf(linesOf(oldText), newLines)) {
    const from = hunk.newFrom - 1
    parts.push(...textOf(newLines, at, from))
    parts.push((refused.has(hunk.index) ? hunk.oldLines : hunk.newLines).join(''))
    at = from + hunk.newLines.length
  }
  parts.push(...textOf(newLines, at, newLines.length))
  return parts.join('')
}

/** Joined at once: a long text would be too many arguments. */
function textOf(lines: readonly string[], from: number, to: number): string[] {
  return to > from ? [lines.slice(from, to).join('')] : []
}

/** Splits at LF alone, so that CRLF stays with its line; no empty line follows a line end at the end of the text. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}

function hunksOf(oldLines: readonly string[], newLines: readonly string[]): Hunk[] {
  const { head, tail } = commonEnds(oldLines, newLines)
  const oldMiddle = oldLines.slice(head, oldLines.length - tail)
  const newMiddle = newLines.slice(head, newLines.length - tail)
  const hunks: Hunk[] = []
  let open: Hunk | null = null
  let oldAt = head + 1
  let newAt = head + 1
  for (const { isOld, isNew, lines } of partsOf(oldMiddle, newMiddle)) {
    if (isOld && isNew) open = null
    else {
      if (open === null) {
        open = { index: hunks.length, oldFrom: oldAt, oldLines: [], newFrom: newAt, newLines: [] }
        hunks.push(open)
      }
      const side = isOld ? open.oldLines : open.newLines
      for (const line of lines) side.push(line)
    }
    if (isOld) oldAt += lines.length
    if (isNew) newAt += lines.length
  }
  return hunks
}

type Part = { isOld: boolean; isNew: boolean; lines: readonly string[] }

/** Compares lines with a limit on the number of changes, not on time: a slow machine must find the same hunks. */
function partsOf(oldLines: string[], newLines: string[]): Part[] {
  const whole = [
    { isOld: true, isNew: false, lines: oldLines },
    { isOld: false, isNew: true, lines: newLines },
  ].filter(({ lines }) => lines.length > 0)
  if (whole.length < 2) return whole
  const parts = diffArrays(oldLines, newLines, { maxEditLength: limitChangedLines })
  return (
    parts?.map(({ added, removed, value }) => ({ isOld: !added, isNew: !removed, lines: value })) ?? whole
  )
}
