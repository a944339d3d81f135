import {
  type LineRange,
  type MessageSegment,
  segmentsText,
} from '../../shared/domain/session/message-segment.ts'
import { typedReferences } from '../../shared/text/file-references.ts'
import { inOrder } from '../platform/in-order.ts'
import { findTypedPath, type Look, type NamesIn } from './find-typed-path.ts'

/**
 * A place in a message that names a file: a segment of its own, or a stretch of one that is text.
 *
 * Units: UTF-16 positions in the segment's text, `[from, to)`; 0 in a segment of its own.
 */
export type Mention = { segment: number; from: number; to: number; path: string; range: LineRange | null }

/** Number of mentions that are looked up at once. */
const mentionsAtOnce = 8

/** Returns every mention, in order. A possible mention that names no existing file stays text. */
export async function findMentions(
  segments: readonly MessageSegment[],
  look: Look,
  namesIn: NamesIn,
): Promise<Mention[]> {
  const mentions: Mention[] = []
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'file-ref') {
      const { path, range } = segment
      mentions.push({ segment: index, from: 0, to: 0, path, range })
    } else if (segment.kind === 'text') {
      const before = segmentsText(segments.slice(0, index)).at(-1)
      mentions.push(...(await typedMentions(segment.text, before, index, look, namesIn)))
    }
  }
  return mentions
}

async function typedMentions(
  text: string,
  before: string | undefined,
  segment: number,
  look: Look,
  namesIn: NamesIn,
): Promise<Mention[]> {
  const mentions: Mention[] = []
  let end = 0
  const looked = inOrder(
    typedReferences(text, before),
    async (reference) => {
      const { path, run } = reference
      const found = run === null ? await isThere(path, look) : await findTypedPath(run, look, namesIn)
      return { ...reference, found }
    },
    { items: mentionsAtOnce },
  )
  for await (const { from, to, path, range, isSure, run, found } of looked) {
    if (from < end) continue
    if (found === undefined && !isSure) continue
    const there = found ?? path
    end = run === null || found === undefined ? to : from + 1 + found.length
    mentions.push({ segment, from, to: end, path: there, range })
  }
  return mentions
}

async function isThere(path: string, look: Look): Promise<string | undefined> {
  const found = await look(path)
  return found === null || found.kind === 'none' ? undefined : path
}

/** Returns the message as the model reads it: mentions that could not be attached are marked in their places. */
export function textWithUnresolved(segments: readonly MessageSegment[], failed: readonly Mention[]): string {
  const parts = segments.flatMap((segment, index): MessageSegment[] => {
    const here = failed.filter((mention) => mention.segment === index)
    const [first] = here
    if (first === undefined) return [segment]
    if (segment.kind === 'image') return [segment]
    if (segment.kind === 'file-ref') return [{ kind: 'text', text: placeholder(first) }]
    let at = 0
    let text = ''
    for (const mention of here) {
      text += segment.text.slice(at, mention.from) + placeholder(mention)
      at = mention.to
    }
    return [{ kind: 'text', text: text + segment.text.slice(at) }]
  })
  return segmentsText(parts)
}

function placeholder({ path, range }: Mention): string {
  return `[unresolved file ref: ${path}${rangeText(range)}]`
}

/** Returns a range as it is written behind a path; empty for a whole file. */
export function rangeText(range: LineRange | null): string {
  if (range === null) return ''
  return range.from === range.to ? `#L${range.from}` : `#L${range.from}-${range.to}`
}
