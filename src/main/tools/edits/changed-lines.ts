import type { Hunk } from '../../../shared/text/difference/hunks.ts'
import { say, type ToolContext } from '../defining/tool.ts'
import { numberedLines, textLines } from './numbered-lines.ts'

const aroundLines = 2
const limitPlaces = 5
const limitBytes = 4_000

/** Returns the changed places of a text, with their line numbers and surroundings, for the model. */
export function changedLines(context: ToolContext, text: string, hunks: readonly Hunk[]): string {
  const lines = textLines(text)
  const stretches: { from: number; to: number }[] = []
  let shift = 0
  for (const hunk of hunks.slice(0, limitPlaces)) {
    const first = hunk.oldFrom + shift
    shift += hunk.newLines.length - hunk.oldLines.length
    const from = Math.max(1, first - aroundLines)
    const to = Math.min(lines.length, Math.max(first, first + hunk.newLines.length - 1) + aroundLines)
    const last = stretches.at(-1)
    // Surroundings that touch are merged, so that no line is shown twice.
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else stretches.push({ from, to })
  }
  const notes = {
    lines: (a: number, b: number) => say(context, 'cut.lines', { from: a, to: b }),
    inLine: (bytes: number) => say(context, 'read.line-cut', { bytes }),
  }
  const room = Math.floor(limitBytes / Math.max(1, stretches.length))
  return stretches.map((range) => numberedLines(lines, range, notes, room).text).join('\n…\n')
}
