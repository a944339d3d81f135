import type { Hunk } from '../../../shared/text/difference/hunks.ts'
import { say, type ToolContext } from '../defining/tool.ts'
import { numberedLines, textLines } from './numbered-lines.ts'

const aroundLines = 2
const limitPlaces = 5
const limitBytes = 4_000

/** The places of a text that were changed, with their line numbers and surroundings, for the model. */
export function changedLines(context: ToolContext, text: string, hunks: readonly Hunk[]): string {
  const lines = textLines(text)
  let shift = 0
  const places = hunks.slice(0, limitPlaces).map((hunk) => {
    const first = hunk.oldFrom + shift
    shift += hunk.newLines.length - hunk.oldLines.length
    const from = Math.max(1, first - aroundLines)
    const to = Math.min(lines.length, Math.max(first, first + hunk.newLines.length - 1) + aroundLines)
    const notes = {
      lines: (a: number, b: number) => say(context, 'cut.lines', { from: a, to: b }),
      inLine: (bytes: number) => say(context, 'read.line-cut', { bytes }),
    }
    return numberedLines(
      lines,
      { from, to },
      notes,
      Math.floor(limitBytes / Math.min(limitPlaces, hunks.length)),
    ).text
  })
  return places.join('\n…\n')
}
