import { z } from 'zod'
import { referenceText } from '../../text/paths/file-references.ts'
import { AttachedImage, imageName } from '../image/attached-image.ts'

/** Lines of a file, both included. Units: lines, from 1. */
export const LineRange = z.object({ from: z.int().min(1), to: z.int().min(1) })
export type LineRange = z.infer<typeof LineRange>

/**
 * A piece of a message, as it was written. Messages are stored as segments, never as one string.
 *
 * Shape: `path` relative to the folder, separated by `/`. `paste`: text that came from elsewhere. `image`: one that
 * was pasted or dropped.
 * Source: `docs/decisions/references.md`.
 */
export const MessageSegment = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('file-ref'), path: z.string(), range: LineRange.nullable() }),
  z.object({ kind: z.literal('paste'), text: z.string() }),
  z.object({ kind: z.literal('image'), image: AttachedImage }),
])
export type MessageSegment = z.infer<typeof MessageSegment>

/** The longest message accepted: no model reads more. Checked before any other work. Units: UTF-16 units. */
export const limitMessageLength = 1_000_000

export function isTooLong(segments: readonly MessageSegment[]): boolean {
  return segments.reduce((sum, segment) => sum + lengthOf(segment), 0) > limitMessageLength
}

function lengthOf(segment: MessageSegment): number {
  if (segment.kind === 'image') return segment.image.name.length
  return segment.kind === 'file-ref' ? segment.path.length : segment.text.length
}

/**
 * Returns a message as text for people, models and the search. `typedReferences` finds the same references in it: a
 * reference is quoted where it could not be told apart from the text around it.
 */
export function segmentsText(segments: readonly MessageSegment[]): string {
  let text = ''
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'image') text += imageName(segment.image)
    else if (segment.kind !== 'file-ref') text += segment.text
    else text += referenceText(segment, text.at(-1), textAfter(segments, index))
  }
  return text
}

/** Returns the text after a reference that could be taken for a part of it. */
function textAfter(segments: readonly MessageSegment[], index: number): string {
  let after = ''
  for (const segment of segments.slice(index + 1)) {
    after += segment.kind === 'file-ref' ? '@' : segmentsText([segment])
    if (/\s/.test(after)) break
  }
  return after.split(/\s/, 1)[0] ?? ''
}

/**
 * The place where an unsent message is being written.
 *
 * Shape: `sessionId` null: the message box of a folder with no session open. `about`: the message that is rewritten
 * or the call that is answered; null: it is the session's next message.
 */
export const UnsentPlace = z.object({ sessionId: z.string().nullable(), about: z.string().nullable() })
export type UnsentPlace = z.infer<typeof UnsentPlace>

export const UnsentMessage = UnsentPlace.extend({ segments: z.array(MessageSegment).max(1000) })
export type UnsentMessage = z.infer<typeof UnsentMessage>

/** Unsent messages of a folder: all or the changed. `seq` counts a host's changes; empty `segments`: gone. */
export const UnsentEvent = z.object({ seq: z.int(), isAll: z.boolean(), messages: z.array(UnsentMessage) })
export type UnsentEvent = z.infer<typeof UnsentEvent>
