import { z } from 'zod'

/** Lines of a file, both included. Units: lines, from 1. */
export const LineRange = z.object({ from: z.int().min(1), to: z.int().min(1) })
export type LineRange = z.infer<typeof LineRange>

/**
 * A piece of a message, as it was written: what is stored is never one string.
 *
 * Shape: `path` relative to the folder, separated by `/`. `paste`: text that came from elsewhere.
 * Source: `../shared/spec/4-file-refs.md`.
 */
export const MessageSegment = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('file-ref'), path: z.string(), range: LineRange.nullable() }),
  z.object({ kind: z.literal('paste'), text: z.string() }),
])
export type MessageSegment = z.infer<typeof MessageSegment>

/** A message as it is read by people, models and the search. */
export function segmentsText(segments: readonly MessageSegment[]): string {
  return segments.map(segmentText).join('')
}

function segmentText(segment: MessageSegment): string {
  if (segment.kind !== 'file-ref') return segment.text
  const path = /\s/.test(segment.path) ? `"${segment.path}"` : segment.path
  const { range } = segment
  return range === null ? `@${path}` : `@${path}#L${range.from}-${range.to}`
}
