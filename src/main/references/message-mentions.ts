import {
  type LineRange,
  type MessageSegment,
  segmentsText,
} from '../../shared/domain/session/message-segment.ts'
import { isWholeName, typedReferences } from '../../shared/text/paths/file-references.ts'
import { withoutEnd } from '../../shared/text/without-end.ts'
import { inOrder } from '../platform/in-order.ts'
import type { FoundPath } from '../tools/tool-operations.ts'

/**
 * A place in a message that names a file: a segment of its own, or a stretch of one that is text.
 *
 * Units: UTF-16 positions in the segment's text, `[from, to)`; 0 in a segment of its own.
 */
export type Mention = { segment: number; from: number; to: number; path: string; range: LineRange | null }

const mentionsAtOnce = 8

/** Returns every mention, in order. A possible mention that names no existing file stays text. */
export async function findMentions(
  segments: readonly MessageSegment[],
  findPath: FindPath,
  namesIn: NamesIn,
) {
  const mentions: Mention[] = []
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'file-ref') {
      const { path, range } = segment
      mentions.push({ segment: index, from: 0, to: 0, path, range })
    } else if (segment.kind === 'text') {
      const before = segmentsText(segments.slice(0, index)).at(-1)
      mentions.push(...(await typedMentions(segment.text, before, index, findPath, namesIn)))
    }
  }
  return mentions
}

async function typedMentions(
  text: string,
  before: string | undefined,
  segment: number,
  findPath: FindPath,
  namesIn: NamesIn,
): Promise<Mention[]> {
  const mentions: Mention[] = []
  let end = 0
  const references = inOrder(
    typedReferences(text, before),
    async (reference) => {
      const { path, run } = reference
      const found = run === null ? await isThere(path, findPath) : await findTypedPath(run, findPath, namesIn)
      return { ...reference, found }
    },
    { items: mentionsAtOnce },
  )
  for await (const { from, to, path, range, isSure, run, found } of references) {
    if (from < end || (found === undefined && !isSure)) continue
    end = run === null || found === undefined ? to : from + 1 + found.length
    mentions.push({ segment, from, to: end, path: found ?? path, range })
  }
  return mentions
}

async function isThere(path: string, findPath: FindPath): Promise<string | undefined> {
  const found = await findPath(path)
  return found === null || found.kind === 'none' ? undefined : path
}

/** Returns the message as the model reads it: mentions that could not be attached are marked in their places. */
export function textWithUnresolved(segments: readonly MessageSegment[], failed: readonly Mention[]): string {
  const parts = segments.flatMap((segment, index): MessageSegment[] => {
    const here = failed.filter((mention) => mention.segment === index)
    const [first] = here
    if (first === undefined || segment.kind === 'image') return [segment]
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

/** Finds a path; returns null where nothing is found or the path cannot be examined. */
export type FindPath = (path: string) => Promise<FoundPath | null>

/** Returns the names of a folder as `nameKey` writes them; none for a missing folder, null where they are unknown. */
export type NamesIn = (folder: string) => Promise<ReadonlySet<string> | null>

/** Returns a key of a name; names that some file system treats as equal have the same key. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** A file's name is at most this long. Units: UTF-16; names of the system are shorter still. */
const limitName = 255

/**
 * Returns the longest beginning of a typed run that is an existing path: in `小説/第一章.mdを推敲して` the file alone.
 *
 * A beginning counts only where the text behind it does not continue the name: `a.ts` is not found in `a.tsx`, nor the
 * folder `小説` in `小説/第九章.md`, which is missing.
 * Shape: undefined where nothing is there. Source: `docs/decisions/references.md`.
 */
async function findTypedPath(run: string, findPath: FindPath, namesIn: NamesIn): Promise<string | undefined> {
  for (let end = run.length; end > 0; end--) {
    const path = run.slice(0, end)
    if (!isWholeName(path, run.slice(end))) continue
    const name = withoutEnd(path, '/\\')
    const slash = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'))
    if (name === '' || name.length - slash > limitName) continue
    const names = await namesIn(slash < 0 ? '.' : name.slice(0, slash + 1))
    if (names !== null && !names.has(nameKey(name.slice(slash + 1)))) continue
    const found = await findPath(path)
    if (found === null || found.kind === 'none') continue
    if (found.kind === 'folder' || path === name) return path
  }
  return undefined
}
