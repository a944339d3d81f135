import { cutMiddle, harmless, headOf, sizeOf } from '../defining/result-text.ts'
import { say, type ToolContext } from '../defining/tool.ts'

/**
 * Returns lines with their numbers, harmless, as many as fit: head and tail, three parts to one, a note between them.
 *
 * Units: lines from 1, both ends included; `leftOut` likewise. A line that is too long by itself shows its own head and
 * tail; `shortened` are these lines.
 */
export function numberedLines(
  context: ToolContext,
  lines: readonly string[],
  range: { from: number; to: number },
  limitBytes: number,
): { text: string; isCut: boolean; leftOut: { from: number; to: number } | null; shortened: number[] } {
  const cutNote = (from: number, to: number): string => say(context, 'cut.lines', { from, to })
  const inLine = (bytes: number): string => say(context, 'read.line-cut', { bytes })
  let isCut = false
  const shortened: number[] = []
  const lineText = (number: number, limit: number): string => {
    const cut = cutMiddle(harmless(lines[number - 1] ?? ''), limit, inLine)
    isCut ||= cut.isCut
    if (cut.isCut) shortened.push(number)
    return `${number}\t${cut.text.replaceAll('\n', ' ')}`
  }
  if (range.from === range.to)
    return { text: lineText(range.from, limitBytes - 16), isCut, leftOut: null, shortened }
  const longestLine = Math.floor(limitBytes / 4)
  const numbered = (number: number): string => lineText(number, longestLine)
  const room = limitBytes - sizeOf(cutNote(range.to, range.to)) - 2
  /** Takes lines from the beginning, as many as fit. */
  const headWithin = (limit: number): { head: string[]; used: number } => {
    const head: string[] = []
    let used = 0
    for (let number = range.from; number <= range.to; number++) {
      const text = numbered(number)
      if (used + sizeOf(text) + 1 > limit) break
      used += sizeOf(text) + 1
      head.push(text)
    }
    return { head, used }
  }
  const whole = headWithin(limitBytes).head
  if (range.from + whole.length > range.to) return { text: whole.join('\n'), isCut, leftOut: null, shortened }

  let { head, used } = headWithin(Math.floor((room * 3) / 4))
  const from = range.from + head.length
  const tail: string[] = []
  let to = range.to
  for (; to >= from; to--) {
    const text = numbered(to)
    if (used + sizeOf(text) + 1 > room) break
    used += sizeOf(text) + 1
    tail.unshift(text)
  }
  const text = [...head, cutNote(from, to), ...tail].join('\n')
  return { text, isCut: true, leftOut: { from, to }, shortened }
}

/** Joins as many of `lines` as fit; `shown` is how many did. Units: bytes. */
export function fittingLines(lines: readonly string[], limitBytes: number): { text: string; shown: number } {
  const kept: string[] = []
  let used = 0
  for (const line of lines) {
    const text = headOf(line, Math.floor(limitBytes / 4))
    if (used + sizeOf(text) + 1 > limitBytes) break
    used += sizeOf(text) + 1
    kept.push(text)
  }
  return { text: kept.join('\n'), shown: kept.length }
}

/** Splits a text into lines; a line end at the end of the text begins no further line. */
export function textLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
