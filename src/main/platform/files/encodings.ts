import iconv from 'iconv-lite'
import type { TextEncoding } from '../../../shared/domain/work/text-encoding.ts'

/** Thrown by `encodeText` for text that the encoding cannot spell. Units: `sample` is up to 20 characters. */
export class UnencodableError extends Error {
  readonly sample: string

  constructor(sample: string) {
    super('unencodable text')
    this.name = 'UnencodableError'
    this.sample = sample
  }
}

const byteOrderMark: Record<TextEncoding, readonly number[]> = {
  'utf-8': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
  shift_jis: [],
  'euc-jp': [],
}

/** Returns the byte order mark of an encoding; empty where it has none. */
export function bomBytes(encoding: TextEncoding): Uint8Array {
  return Uint8Array.from(byteOrderMark[encoding])
}

export function isText(bytes: Uint8Array): boolean {
  return detectEncoding(bytes) !== undefined
}

/** Shape: `text` is without the byte order mark. */
type DetectedText = { encoding: TextEncoding; hasBom: boolean; text: string }

/**
 * Detects the encoding of a text by its byte order mark, else UTF-16 by its zero bytes, UTF-8, or whichever of
 * Shift_JIS and EUC-JP reads more like Japanese, and decodes it.
 *
 * Shape: undefined where the bytes are not text.
 */
export function detectEncoding(bytes: Uint8Array): DetectedText | undefined {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
    const mark = byteOrderMark[encoding]
    if (mark.every((byte, index) => bytes[index] === byte)) {
      const text = tryDecode(bytes.subarray(mark.length), encoding)
      return text === undefined ? undefined : { encoding, hasBom: true, text }
    }
  }
  if (bytes.includes(0)) return detectUtf16(bytes)
  const plain = tryDecode(bytes, 'utf-8')
  if (plain !== undefined) return { encoding: 'utf-8', hasBom: false, text: plain }
  const [best] = (['shift_jis', 'euc-jp'] as const)
    .flatMap((encoding): DetectedText[] => {
      const text = tryDecode(bytes, encoding)
      return text === undefined ? [] : [{ encoding, hasBom: false, text }]
    })
    .sort((a, b) => oddness(a.text) - oddness(b.text))
  return best
}

/** Decodes `bytes` (without byte order mark) without loss; returns undefined where they are not text. */
export function tryDecode(bytes: Uint8Array, encoding: TextEncoding): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * Encodes `text`, without a byte order mark.
 *
 * Errors: `UnencodableError` where a character would be lost; no character is ever replaced by `?`.
 */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8' || encoding === 'utf-16le' || encoding === 'utf-16be') {
    if (!text.isWellFormed()) throw new UnencodableError(sampleOf(text, text.toWellFormed()))
    if (encoding === 'utf-8') return Buffer.from(text, 'utf8')
    const bytes = Buffer.from(text, 'utf16le')
    return encoding === 'utf-16le' ? bytes : bytes.swap16()
  }
  const bytes = iconv.encode(text, encoding === 'shift_jis' ? 'cp932' : 'eucjp')
  const back = tryDecode(bytes, encoding)
  if (back !== text) throw new UnencodableError(sampleOf(text, back ?? ''))
  return bytes
}

/** Bytes with zeros among them: UTF-16 where one of its two orders reads like text, else a binary file. */
function detectUtf16(bytes: Uint8Array): DetectedText | undefined {
  const [best] = (['utf-16le', 'utf-16be'] as const)
    .map((encoding) => ({ encoding, text: tryDecode(bytes, encoding) ?? '' }))
    .map((reading) => ({ ...reading, likeness: likeness(reading.text) }))
    .sort((a, b) => b.likeness - a.likeness)
  if (best === undefined || best.likeness < 0.5) return undefined
  return { encoding: best.encoding, hasBom: false, text: best.text }
}

/** Rates how much a string looks like text: in the wrong byte order letters become rare kanji or other symbols. */
function likeness(text: string): number {
  const sure = text.match(/[\t\n\r\x20-\x7e\u3000-\u30ff\uff01-\uff5e\u2010-\u2044]/g)?.length ?? 0
  const kanji = text.match(/[\u4e00-\u9fff]/g)?.length ?? 0
  const other = text.length - sure - kanji
  return (sure + kanji * 0.6 - other) / Math.max(1, text.length)
}

/** Returns the share of characters that prose hardly has: half-width kana, private use, controls, rare symbols. */
function oddness(text: string): number {
  const odd = text.match(/[\uff61-\uff9f\ue000-\uf8ff\u0080-\u009f]/g)?.length ?? 0
  const kana = text.match(/[\u3041-\u30ff]/g)?.length ?? 0
  return (odd - kana) / Math.max(1, text.length)
}

/** Returns the characters of `wanted` that were lost in the encoding, each once. */
function sampleOf(wanted: string, got: string): string {
  const counts = new Map<string, number>()
  for (const character of got) counts.set(character, (counts.get(character) ?? 0) + 1)
  const lost = new Set<string>()
  for (const character of wanted) {
    const left = counts.get(character) ?? 0
    if (left === 0) lost.add(character)
    else counts.set(character, left - 1)
    if (lost.size === 20) break
  }
  return [...lost].join('').toWellFormed()
}
