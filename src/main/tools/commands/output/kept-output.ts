import { StringDecoder } from 'node:string_decoder'

/** A part of an output. Units: bytes; `skippedBytes` were asked for and are no longer kept. */
type OutputPart = { text: string; nextBytes: number; skippedBytes: number }

const blocksPerHalf = 32

/**
 * Keeps the beginning and the end of an output of any length: at most `limitBytes`, half of them from the beginning.
 *
 * Units: bytes of UTF-8. Shape: the text has `[… N bytes …]` where bytes are missing between the two.
 */
export function createKeptOutput(limitBytes: number) {
  const blockBytes = Math.max(4, Math.floor(limitBytes / (2 * blocksPerHalf)))
  const headEnd = blocksPerHalf * blockBytes
  const blocks = new Map<number, Buffer>()
  let totalBytes = 0

  const tailStart = (): number => {
    const last = Math.floor(Math.max(0, totalBytes - 1) / blockBytes)
    return Math.max(headEnd, (last + 1 - blocksPerHalf) * blockBytes)
  }

  const blockAt = (index: number): Buffer => {
    const found = blocks.get(index)
    if (found !== undefined) return found
    const fresh = Buffer.allocUnsafe(blockBytes)
    blocks.set(index, fresh)
    const dropped = index - blocksPerHalf
    if (dropped >= blocksPerHalf) blocks.delete(dropped)
    return fresh
  }

  const bytesOf = (from: number, to: number): Buffer => {
    const parts: Buffer[] = []
    for (let at = from; at < to; ) {
      const start = at % blockBytes
      const end = Math.min(blockBytes, start + to - at)
      parts.push(blockAt((at - start) / blockBytes).subarray(start, end))
      at += end - start
    }
    return Buffer.concat(parts)
  }

  return {
    get totalBytes(): number {
      return totalBytes
    },
    get isCut(): boolean {
      return tailStart() > headEnd
    },
    append(text: string): void {
      const bytes = Buffer.from(text, 'utf8')
      for (let done = 0; done < bytes.length; ) {
        const start = totalBytes % blockBytes
        const copied = bytes.copy(blockAt((totalBytes - start) / blockBytes), start, done)
        done += copied
        totalBytes += copied
      }
    },
    /** Returns text from `sinceBytes` on, at most `limit` bytes (at least 4); never half a character. */
    read(sinceBytes: number, limit = Number.POSITIVE_INFINITY): OutputPart {
      let at = Math.min(Math.max(0, Math.floor(sinceBytes)), totalBytes)
      let left = Math.max(4, limit)
      const read: OutputPart = { text: '', nextBytes: at, skippedBytes: 0 }
      const kept =
        tailStart() === headEnd
          ? [{ from: 0, to: totalBytes }]
          : [
              { from: 0, to: headEnd },
              { from: tailStart(), to: totalBytes },
            ]
      for (const { from, to } of kept) {
        if (at >= to || left === 0) continue
        if (at < from) {
          read.skippedBytes += from - at
          read.text += `\n[… ${from - at} bytes …]\n`
          at = from
        }
        const piece = wholeCharacters(bytesOf(at, Math.min(to, at + left)))
        read.text += piece.text
        at += piece.sizeBytes
        // A character that is cut by the gap is lost; one that is cut by the limit is part of the next read.
        left = at + 3 >= to ? left - piece.sizeBytes : 0
      }
      return { ...read, nextBytes: at }
    },
  }
}

/** Decodes whole characters: bytes of one whose beginning is missing are skipped, an incomplete last one is left. */
function wholeCharacters(bytes: Buffer): { text: string; sizeBytes: number } {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  const text = new StringDecoder('utf8').write(bytes.subarray(start))
  return { text, sizeBytes: start + Buffer.byteLength(text) }
}
