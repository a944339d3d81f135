import { looseLine } from './find-edit.ts'

/** Units: lines from 1. */
export type NumberedLine = { number: number; text: string }

const limitLines = 50_000
/** Maximum number of compared lines: comparing blocks the host's thread, so a very long file is not compared whole. */
const limitCompared = 2_000
const limitShown = 12
const limitLineChars = 400
/** Least likeness of a line that is worth showing. Units: 0 … 1. */
const leastLikeness = 0.5

/**
 * Returns the lines of a text that are most like the wanted ones, as many as those; empty where no line is like them.
 */
export function nearestLines(text: string, wanted: string): NumberedLine[] {
  const lines = text.split('\n')
  const sought = wanted.split('\n')
  const anchor = sought.reduce((best, line, at) => (weight(line) > weight(sought[best] ?? '') ? at : best), 0)
  const goal = pairsOf(sought[anchor] ?? '')
  let best = -1
  let likeness = leastLikeness
  let compared = 0
  for (let at = 0; at < Math.min(lines.length, limitLines); at++) {
    const line = looseLine((lines[at] ?? '').slice(0, limitLineChars))
    // Lines of very different length cannot be more alike: this check alone skips most lines.
    const most = (2 * Math.min(goal.size, line.length - 1)) / (goal.size + line.length - 1)
    if (!(most > likeness)) continue
    if (++compared > limitCompared) break
    const found = alike(goal, pairsOf(line))
    if (found <= likeness) continue
    best = at
    likeness = found
  }
  if (best < 0) return []
  const from = Math.max(0, best - Math.min(anchor, limitShown - 1))
  const to = Math.min(lines.length, from + Math.min(limitShown, Math.max(sought.length, best - from + 1)))
  return lines.slice(from, to).map((line, index) => ({ number: from + index + 1, text: line }))
}

function weight(line: string): number {
  return looseLine(line).length
}

type Pairs = { counts: Map<string, number>; size: number }

/** Counts the pairs of neighbouring characters. */
function pairsOf(line: string): Pairs {
  const plain = looseLine(line.slice(0, limitLineChars))
  const counts = new Map<string, number>()
  for (let at = 0; at + 1 < plain.length; at++) {
    const pair = plain.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return { counts, size: Math.max(0, plain.length - 1) }
}

/** Dice's coefficient. Units: 0 … 1. */
function alike(a: Pairs, b: Pairs): number {
  if (a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const [pair, count] of a.counts) common += Math.min(count, b.counts.get(pair) ?? 0)
  return (2 * common) / (a.size + b.size)
}
