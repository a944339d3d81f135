import type { Text } from '@codemirror/state'

/** Lines that are put on the page together. Units: UTF-16 positions; `columns` as wide as one line of text each. */
export type Chunk = { from: number; to: number; columns: number; isMeasured: boolean }

const chunkLength = 1_500

/**
 * Parts a text at line ends into chunks, with an estimate of the columns that each fills.
 *
 * `known` are chunks of an earlier text that is the same up to `sameUntil`: what was measured there stays.
 */
export function chunksOf(doc: Text, cells: number, known: readonly Chunk[] = [], sameUntil = 0): Chunk[] {
  const chunks = known.filter(({ to }) => to < sameUntil)
  let from = (chunks.at(-1)?.to ?? -1) + 1
  if (from > doc.length) return chunks
  let at = from
  let columns = 0
  for (const lines = doc.iterLines(doc.lineAt(from).number); !lines.next().done; ) {
    columns += Math.max(1, Math.ceil(lines.value.length / cells))
    at += lines.value.length
    if (at - from >= chunkLength) {
      chunks.push({ from, to: at, columns, isMeasured: false })
      from = at + 1
      columns = 0
    }
    at += 1
  }
  if (columns > 0) chunks.push({ from, to: doc.length, columns, isMeasured: false })
  return chunks
}

export function columnsBefore(chunks: readonly Chunk[], index: number): number {
  let columns = 0
  for (let i = 0; i < index; i++) columns += chunks[i]?.columns ?? 0
  return columns
}

/** Returns the range of chunks that reach into a stretch of columns, by their indices. Shape: half-open. */
export function chunksWithin(
  chunks: readonly Chunk[],
  fromColumn: number,
  toColumn: number,
): { from: number; to: number } {
  let from = 0
  let end = 0
  while (from < chunks.length && end + (chunks[from]?.columns ?? 0) <= fromColumn)
    end += chunks[from++]?.columns ?? 0
  let to = from
  while (to < chunks.length && end < toColumn) end += chunks[to++]?.columns ?? 0
  return { from, to }
}

export function chunkAt(chunks: readonly Chunk[], position: number): number {
  const index = chunks.findIndex(({ to }) => position <= to)
  return index < 0 ? chunks.length - 1 : index
}
