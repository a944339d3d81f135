import { hash } from 'node:crypto'
import { AppError } from '../../../shared/errors.ts'
import { lateNode } from '../../platform/node/late-node.ts'
import type { Db } from './database.ts'

/**
 * Texts stored by content: cut at lines that their hash selects, each piece compressed and stored once, so that two
 * versions of a long text, or two prompts with one reference, cost little more than their difference.
 */
export type TextChunks = ReturnType<typeof createTextChunks>

/** Length of a piece's hash. Units: bytes. */
export const hashBytes = 32
const leastChunkChars = 1_000
const mostChunkChars = 16_000

export function createTextChunks(db: Db) {
  const insert = db.prepare(
    'INSERT INTO chunks (hash, bytes, refs) VALUES (?, ?, 1) ON CONFLICT (hash) DO UPDATE SET refs = refs + 1',
  )
  const hold = db.prepare('UPDATE chunks SET refs = refs + 1 WHERE hash = ?')
  const select = db.prepare<[Uint8Array], { bytes: Buffer }>('SELECT bytes FROM chunks WHERE hash = ?')
  const drop = db.prepare('UPDATE chunks SET refs = refs - 1 WHERE hash = ?')
  const remove = db.prepare('DELETE FROM chunks WHERE hash = ? AND refs <= 0')
  return {
    /** Stores a text; returns the hashes of its pieces, 32 bytes each. Call it inside the owner's transaction. */
    put(text: string): Buffer {
      const hashes = chunksOf(text).map((chunk) => {
        // UTF-16 keeps every string exactly, a lone surrogate too.
        const bytes = Buffer.from(chunk, 'utf16le')
        const name = hash('sha256', bytes, 'buffer')
        if (hold.run(name).changes === 0) insert.run(name, lateNode.zlib().deflateRawSync(bytes))
        return name
      })
      return Buffer.concat(hashes)
    },
    /** Returns a text. Errors: `store/unreadable` where a piece is missing or does not match its hash. */
    get(hashes: Uint8Array): string {
      return split(hashes)
        .map((name) => {
          const bytes = inflated(select.get(name)?.bytes)
          if (bytes === undefined || !hash('sha256', bytes, 'buffer').equals(name))
            throw new AppError({ code: 'store/unreadable', table: 'chunks' })
          return bytes.toString('utf16le')
        })
        .join('')
    },
    /** Releases one `put`; a piece without references is deleted. */
    release(hashes: Uint8Array): void {
      for (const name of split(hashes)) {
        drop.run(name)
        remove.run(name)
      }
    },
  }
}

function inflated(bytes: unknown): Buffer | undefined {
  if (!Buffer.isBuffer(bytes)) return undefined
  try {
    return lateNode.zlib().inflateRawSync(bytes, { maxOutputLength: 4 * mostChunkChars })
  } catch {
    return undefined
  }
}

function split(hashes: Uint8Array): Uint8Array[] {
  return Array.from({ length: hashes.length / hashBytes }, (_, index) =>
    hashes.subarray(index * hashBytes, (index + 1) * hashBytes),
  )
}

/**
 * Cuts a text after lines that their own hash selects, about every 4,000 characters of prose: an edit moves only the
 * cuts beside it.
 */
function chunksOf(text: string): string[] {
  const chunks: string[] = []
  let start = 0
  let lineStart = 0
  while (lineStart < text.length) {
    const lineEnd = endOfLine(text, lineStart, start + mostChunkChars)
    const size = lineEnd - start
    const isCut = size >= mostChunkChars || (size >= leastChunkChars && isMark(text, lineStart, lineEnd))
    if (isCut) {
      chunks.push(text.slice(start, lineEnd))
      start = lineEnd
    }
    lineStart = lineEnd
  }
  if (start < text.length) chunks.push(text.slice(start))
  return chunks
}

function endOfLine(text: string, from: number, limit: number): number {
  const found = text.indexOf('\n', from)
  const end = found < 0 ? text.length : found + 1
  return Math.max(from + 1, Math.min(end, limit))
}

function isMark(text: string, from: number, to: number): boolean {
  let sum = 2166136261
  for (let at = from; at < to; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16777619)
  return (sum >>> 8) % 32 === 0
}
