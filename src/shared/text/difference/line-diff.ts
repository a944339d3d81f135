import { diffChars, diffLines } from 'diff'

/** A stretch of a line: in both texts, only in the old one, or only in the new one. */
type DiffPiece = { kind: 'same' | 'removed' | 'added'; text: string }

/** A row of a comparison. `skip`: that many unchanged lines are left out. */
export type DiffRow = { kind: 'line'; pieces: DiffPiece[] } | { kind: 'skip'; lines: number }

/** Longer passages are shown as a whole: thousands of single marked characters are not readable. */
const longestByCharacter = 4_000

/** Passages that have less in common were rewritten; single letters in common mean nothing. */
const leastCommonShare = 0.6

/** Compares texts line by line, marks changed characters, and keeps `contextLines`; equal texts give no rows. */
export function lineDiff(before: string, after: string, contextLines = 2): DiffRow[] {
  const parts = diffLines(before, after)
  const rows: DiffRow[] = []
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1]
    const isAnswered = part.added && parts[index - 1]?.removed
    if (part.removed && next?.added) rows.push(...changedRows(part.value, next.value))
    else if (part.added || part.removed) {
      if (!isAnswered) rows.push(...wholeRows(part.value, part.added ? 'added' : 'removed'))
    } else if (parts.length > 1) {
      rows.push(...sameRows(part.value, contextLines, index === 0, index === parts.length - 1))
    }
  }
  return rows
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function wholeRows(text: string, kind: DiffPiece['kind']): DiffRow[] {
  return linesOf(text).map((line) => ({ kind: 'line', pieces: [{ kind, text: line }] }))
}

function sameRows(text: string, around: number, isFirst: boolean, isLast: boolean): DiffRow[] {
  const rows = wholeRows(text, 'same')
  const head = isFirst ? 0 : around
  const tail = isLast ? 0 : around
  const skipped = rows.length - head - tail
  if (skipped <= 1) return rows
  return [...rows.slice(0, head), { kind: 'skip', lines: skipped }, ...rows.slice(rows.length - tail)]
}

function changedRows(before: string, after: string): DiffRow[] {
  if (before.length + after.length > longestByCharacter) {
    return [...wholeRows(before, 'removed'), ...wholeRows(after, 'added')]
  }
  const changes = diffChars(before, after)
  const common = changes.filter((change) => !change.added && !change.removed).map((change) => change.value)
  if (common.join('').length < leastCommonShare * Math.min(before.length, after.length)) {
    return [...wholeRows(before, 'removed'), ...wholeRows(after, 'added')]
  }
  const lines: DiffPiece[][] = [[]]
  for (const change of changes) {
    const kind = change.added ? 'added' : change.removed ? 'removed' : 'same'
    change.value.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ kind, text })
    })
  }
  if (lines.at(-1)?.length === 0) lines.pop()
  return lines.map((pieces) => ({ kind: 'line', pieces }))
}
