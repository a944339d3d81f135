import { diffHunks, type Hunk, linesOf } from './hunks.ts'

/** A hunk of a step: a change from one text of a chain to the next. */
type StepHunk = { step: number; hunk: number }

/** One place where the first and the last text of a chain differ, and the hunks of the steps that made it. */
export type ChainedHunk = Hunk & { parts: StepHunk[] }

/** A changed region. Units: half-open, in lines from 0; `base` of the first text, `now` of the last one so far. */
type Region = {
  baseFrom: number
  baseTo: number
  nowFrom: number
  nowTo: number
  parts: StepHunk[]
}

/**
 * Returns where the last of the texts differs from the first. Hunks of several steps that overlap or touch are one
 * place: they are accepted or refused only together. A place that a later step has reverted is not among them.
 */
export function chainedHunks(texts: readonly string[]): ChainedHunk[] {
  let regions: Region[] = []
  for (let step = 1; step < texts.length; step += 1)
    regions = nextRegions(regions, diffHunks(texts[step - 1] ?? '', texts[step] ?? ''), step - 1)
  const oldLines = linesOf(texts[0] ?? '')
  const newLines = linesOf(texts.at(-1) ?? '')
  return regions
    .map(({ baseFrom, baseTo, nowFrom, nowTo, parts }) => ({
      index: 0,
      oldFrom: baseFrom + 1,
      oldLines: oldLines.slice(baseFrom, baseTo),
      newFrom: nowFrom + 1,
      newLines: newLines.slice(nowFrom, nowTo),
      parts,
    }))
    .filter((hunk) => hunk.oldLines.join('') !== hunk.newLines.join(''))
    .map((hunk, index) => ({ ...hunk, index }))
}

type Interval = { from: number; to: number; region: Region | null; hunk: Hunk | null }

function nextRegions(regions: readonly Region[], hunks: readonly Hunk[], step: number): Region[] {
  const intervals: Interval[] = [
    ...regions.map((region) => ({ from: region.nowFrom, to: region.nowTo, region, hunk: null })),
    ...hunks.map((hunk) => ({ from: hunk.oldFrom - 1, to: oldEnd(hunk), region: null, hunk })),
  ].sort((a, b) => a.from - b.from || a.to - b.to)
  const groups: Interval[][] = []
  let end = -1
  for (const interval of intervals) {
    if (interval.from > end) groups.push([])
    groups.at(-1)?.push(interval)
    end = Math.max(end, interval.to)
  }
  // By how many lines the text before the group is longer than in the first text, and than before this step.
  let sinceBase = 0
  let sinceStep = 0
  return groups.map((group) => {
    const from = Math.min(...group.map((one) => one.from))
    const to = Math.max(...group.map((one) => one.to))
    const baseFrom = from - sinceBase
    const nowFrom = from + sinceStep
    const parts: StepHunk[] = []
    for (const { region, hunk } of group) {
      if (region) {
        sinceBase += region.nowTo - region.nowFrom - (region.baseTo - region.baseFrom)
        parts.push(...region.parts)
      }
      if (hunk) {
        sinceStep += hunk.newLines.length - hunk.oldLines.length
        parts.push({ step, hunk: hunk.index })
      }
    }
    return { baseFrom, baseTo: to - sinceBase, nowFrom, nowTo: to + sinceStep, parts }
  })
}

/** Applies the changes from `baseText` to `newText`, but for `refused`, to `keptText`; null: both change a line. */
export function rebaseHunks(
  { baseText, newText }: { baseText: string; newText: string },
  keptText: string,
  refused: ReadonlySet<number>,
): string | null {
  const made = diffHunks(baseText, newText).filter(({ index }) => !refused.has(index))
  const both = [...made, ...diffHunks(baseText, keptText)].sort((a, b) => a.oldFrom - b.oldFrom)
  const lines = linesOf(baseText)
  const parts: string[] = []
  let at = 0
  for (const [index, hunk] of both.entries()) {
    const before = both[index - 1]
    if (before !== undefined && hunk.oldFrom - 1 <= oldEnd(before)) return null
    // Joined at once: a long text would be too many arguments.
    parts.push(lines.slice(at, hunk.oldFrom - 1).join(''), hunk.newLines.join(''))
    at = oldEnd(hunk)
  }
  return [...parts, ...lines.slice(at)].join('')
}

function oldEnd({ oldFrom, oldLines }: Hunk): number {
  return oldFrom - 1 + oldLines.length
}
