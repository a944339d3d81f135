import {
  type Chunk,
  lineEndOf,
  mergedText,
  openChanges,
  type Side,
} from '../../../shared/text/difference/three-way.ts'
import { bomBytes, detectEncoding, encodeText, UnencodableError } from '../../platform/files/encodings.ts'
import { type Author, withoutAssistant } from './line-authors.ts'

/**
 * A place that the assistant and the user both changed.
 *
 * Units: `line` is the line of the current text from 1. `former`: without the assistant's change; `written`: what the
 * assistant wrote; `current`: as it is now.
 */
export type UndoPlace = { index: number; line: number; former: string; written: string; current: string }

/** What undo makes of a file's content. `bytes` are what the decisions make; open places keep the current lines. */
export type UndoneContent = { bytes: Buffer; isBlank: boolean; places: UndoPlace[] }

/**
 * Takes the assistant's changes out of a text, by the line authors of all its versions.
 *
 * Shape: `versions` after `first`, the last one is the current content. Undefined where one of them is no text, or
 * where the result cannot be spelled in the encoding of the current one.
 */
export function undoneText(
  first: Uint8Array,
  versions: readonly { bytes: Uint8Array; author: Author }[],
  sides: ReadonlyMap<number, Side>,
): UndoneContent | undefined {
  const current = versions.at(-1)
  const format = current && detectEncoding(current.bytes)
  const start = decoded(first)
  if (format === undefined || start === undefined) return undefined
  const texts: { text: string; author: Author }[] = []
  for (const { bytes, author } of versions) {
    const text = decoded(bytes)
    if (text === undefined) return undefined
    texts.push({ text, author })
  }
  const chunks = withoutAssistant(start, texts)
  const open = openChanges(chunks, new Map())
  const decided = new Map(open.map((index) => [index, sides.get(index) ?? 'current'] as const))
  const text = mergedText(chunks, decided, lineEndOf([start, ...texts.map((version) => version.text)])) ?? ''
  try {
    const mark = format.hasBom ? bomBytes(format.encoding) : new Uint8Array()
    const bytes = Buffer.concat([mark, encodeText(text, format.encoding)])
    return { bytes, isBlank: text.trim() === '', places: placesOf(chunks, new Set(open)) }
  } catch (error) {
    if (error instanceof UnencodableError) return undefined
    throw error
  }
}

/** Undefined where it is no text. */
export function decoded(bytes: Uint8Array): string | undefined {
  return detectEncoding(bytes)?.text
}

function placesOf(chunks: readonly Chunk[], open: ReadonlySet<number>): UndoPlace[] {
  const places: UndoPlace[] = []
  let line = 1
  for (const chunk of chunks) {
    if (chunk.kind === 'change' && open.has(chunk.index)) {
      const { index, base, speculated, current } = chunk
      places.push({
        index,
        line,
        former: speculated.join(''),
        written: base.join(''),
        current: current.join(''),
      })
    }
    line += chunk.kind === 'same' ? chunk.lines.length : chunk.current.length
  }
  return places
}
