import type { ChangeSet, Text } from '@codemirror/state'

/** One line of a file: its bytes on disk while it is unedited, else null, and its line end. */
type SpelledLine = { bytes: Uint8Array | null; end: string }

/**
 * The original bytes and line ends of a file's lines, kept through edits: for files whose bytes do not follow from
 * their text alone (mixed line ends, or a legacy encoding with two codes for one character).
 *
 * Shape: one entry for each line of the document, in its order; the last one's end is empty.
 */
export class LineSpelling {
  #lines: SpelledLine[]

  constructor(lines: SpelledLine[]) {
    this.#lines = lines
  }

  /** Follows `changes` made to `before`: touched lines lose their bytes, new ones take their neighbour's end. */
  apply(changes: ChangeSet, before: Text): void {
    const edits: { fromA: number; toA: number; inserted: Text }[] = []
    changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => edits.push({ fromA, toA, inserted }))
    for (const { fromA, toA, inserted } of edits.reverse()) this.#replace(before, fromA, toA, inserted)
  }

  /** Joins the file's bytes; `encode` encodes lines that were edited. */
  toBytes(doc: Text, encode: (text: string) => Uint8Array): Buffer {
    const parts: Uint8Array[] = []
    const ends = new Map<string, Uint8Array>()
    let index = 0
    let endBefore = ''
    for (const text of doc.iterLines()) {
      const line = this.#lines[index++]
      parts.push(line?.bytes ?? encode(text))
      let end = index === doc.lines ? '' : line?.end || '\n'
      // CR and LF with nothing between them would be read as one line end.
      if (text === '' && endBefore === '\r' && end === '\n') end = '\r'
      endBefore = end
      let bytes = ends.get(end)
      if (bytes === undefined) {
        bytes = encode(end)
        ends.set(end, bytes)
      }
      parts.push(bytes)
    }
    return Buffer.concat(parts)
  }

  /** Returns the same line ends without the bytes, for a file that changes its encoding. */
  endsOnly(): LineSpelling {
    return new LineSpelling(this.#lines.map(({ end }) => ({ bytes: null, end })))
  }

  #replace(before: Text, from: number, to: number, inserted: Text): void {
    const first = before.lineAt(from)
    const last = before.lineAt(to)
    const a = first.number - 1
    const b = last.number - 1
    const old = this.#lines.slice(a, b + 1)
    const isSplit = inserted.lines > 1
    const newEnd = old[0]?.end || this.#lines[a - 1]?.end || '\n'
    const fresh = Array.from({ length: inserted.lines }, (_, index): SpelledLine => {
      const isLast = index === inserted.lines - 1
      const end = isLast ? (old[b - a]?.end ?? '') : (a + index < b ? old[index]?.end : undefined) || newEnd
      return { bytes: null, end }
    })
    const head = fresh[0]
    const tail = fresh[fresh.length - 1]
    const keepsHead = isSplit && from === first.to && inserted.line(1).length === 0
    const keepsTail =
      to === last.from &&
      (isSplit ? inserted.line(inserted.lines).length === 0 : from === first.from && inserted.length === 0)
    if (head !== undefined && keepsHead) head.bytes = old[0]?.bytes ?? null
    if (tail !== undefined && keepsTail) tail.bytes = old[b - a]?.bytes ?? null
    // Not splice(…, ...fresh) always: a pasted book would be too many arguments.
    if (fresh.length === old.length && fresh.length < 1000) this.#lines.splice(a, fresh.length, ...fresh)
    else this.#lines = [...this.#lines.slice(0, a), ...fresh, ...this.#lines.slice(b + 1)]
  }
}

/** Cuts a file's bytes at its line ends. Units: `unitBytes` is 2 for UTF-16, else 1. */
export function spellLines(bytes: Uint8Array, unit: 'byte' | 'utf-16le' | 'utf-16be'): LineSpelling {
  const width = unit === 'byte' ? 1 : 2
  const unitAt = (at: number): number => {
    const a = bytes[at] ?? 0
    if (unit === 'byte') return a
    const b = bytes[at + 1] ?? 0
    return unit === 'utf-16le' ? a | (b << 8) : (a << 8) | b
  }
  const lines: SpelledLine[] = []
  let start = 0
  for (let at = 0; at < bytes.length; at += width) {
    const code = unitAt(at)
    if (code !== 10 && code !== 13) continue
    const isPair = code === 13 && at + width < bytes.length && unitAt(at + width) === 10
    lines.push({ bytes: bytes.subarray(start, at), end: isPair ? '\r\n' : code === 13 ? '\r' : '\n' })
    if (isPair) at += width
    start = at + width
  }
  lines.push({ bytes: bytes.subarray(start), end: '' })
  return new LineSpelling(lines)
}
