import type { Hunk } from './hunks.ts'

/**
 * A line as a comparison shows it, without its line end.
 *
 * Units: `line` counts from 1, in the old text for `removed`, in the new one otherwise. `end`: the row's line end
 * to mention, where the lines of one hunk differ in it.
 */
export type HunkRow = {
  kind: 'same' | 'removed' | 'added'
  line: number
  text: string
  end: 'crlf' | 'none' | null
}

/** A hunk with the unchanged lines around it. `skipped`: unchanged lines before these that are left out. */
export type HunkBlock = { hunk: Hunk; skipped: number; before: HunkRow[]; rows: HunkRow[]; after: HunkRow[] }

/** Rows of old and new side by side; null where one side has no line. */
export type RowPair = { left: HunkRow | null; right: HunkRow | null }

/** Splits a text into lines as hunks count them, without line ends. */
export function shownLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Returns hunks with `around` unchanged lines on each side; no unchanged line is shown twice. */
export function hunkBlocks(hunks: readonly Hunk[], newLines: readonly string[], around = 3): HunkBlock[] {
  return hunks.map((hunk, index) => {
    const previous = hunks[index - 1]
    const next = hunks[index + 1]
    const from = previous ? endOf(previous) : 1
    const gapBefore = hunk.newFrom - from
    const gapAfter = (next ? next.newFrom : newLines.length + 1) - endOf(hunk)
    const shownBefore = Math.min(gapBefore, isWhole(gapBefore, previous, around) ? gapBefore : around)
    const shownAfter = next && isWhole(gapAfter, hunk, around) ? 0 : Math.min(gapAfter, around)
    const leftBefore = previous && !isWhole(gapBefore, previous, around) ? Math.min(gapBefore, around) : 0
    return {
      hunk,
      skipped: gapBefore - shownBefore - leftBefore,
      before: sameRows(newLines, hunk.newFrom - shownBefore, shownBefore),
      rows: changedRows(hunk),
      after: sameRows(newLines, endOf(hunk), shownAfter),
    }
  })
}

/** Pairs removed rows with added ones; unchanged rows stand on both sides. */
export function rowPairs(block: Pick<HunkBlock, 'before' | 'rows' | 'after'>): RowPair[] {
  const both = (row: HunkRow): RowPair => ({ left: row, right: row })
  const removed = block.rows.filter((row) => row.kind === 'removed')
  const added = block.rows.filter((row) => row.kind === 'added')
  const changed = Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => ({
    left: removed[at] ?? null,
    right: added[at] ?? null,
  }))
  return [...block.before.map(both), ...changed, ...block.after.map(both)]
}

function endOf(hunk: Hunk): number {
  return hunk.newFrom + hunk.newLines.length
}

/** Returns true where the gap between two hunks is so short that it is shown whole: no line is skipped alone. */
function isWhole(gap: number, previous: Hunk | undefined, around: number): boolean {
  return previous !== undefined && gap <= 2 * around + 1
}

function sameRows(lines: readonly string[], from: number, count: number): HunkRow[] {
  return lines
    .slice(from - 1, from - 1 + count)
    .map((text, at) => ({ kind: 'same', line: from + at, text: withoutReturn(text), end: null }))
}

function changedRows(hunk: Hunk): HunkRow[] {
  const ends = new Set([...hunk.oldLines, ...hunk.newLines].map(endKind))
  const row = (kind: HunkRow['kind'], from: number) => (text: string, at: number) => {
    const end = endKind(text)
    return {
      kind,
      line: from + at,
      text: withoutReturn(text.endsWith('\n') ? text.slice(0, -1) : text),
      end: ends.size > 1 && end !== 'lf' ? end : null,
    }
  }
  return [
    ...hunk.oldLines.map(row('removed', hunk.oldFrom)),
    ...hunk.newLines.map(row('added', hunk.newFrom)),
  ]
}

function endKind(line: string): 'lf' | 'crlf' | 'none' {
  if (!line.endsWith('\n')) return 'none'
  return line.endsWith('\r\n') ? 'crlf' : 'lf'
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}
