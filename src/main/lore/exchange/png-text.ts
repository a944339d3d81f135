import { inflateSync } from 'node:zlib'

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const limitUnpackedBytes = 50_000_000

/**
 * Returns the card in a PNG: the text chunk `ccv3`, else `chara`, in base64. Empty where a PNG has none; undefined for
 * any other file.
 *
 * Source: the PNG specification, `tEXt`, `zTXt` and `iTXt`; character card V3, "Embedding in PNG".
 */
export function cardText(bytes: Uint8Array): string | undefined {
  if (signature.some((byte, at) => bytes[at] !== byte)) return undefined
  const found = new Map<string, string>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = signature.length; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at)
    const type = latin1(bytes.subarray(at + 4, at + 8))
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (data.length < length) break
    const keyword = keywordOf(type, data)
    // Only the first chunk of each keyword is unpacked, however many there are.
    if (keyword !== undefined && !found.has(keyword)) found.set(keyword, textOf(type, data, keyword.length))
    if (type === 'IEND') break
    at += 12 + length
  }
  const encoded = found.get('ccv3') ?? found.get('chara')
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
}

function keywordOf(type: string, data: Uint8Array): string | undefined {
  if (type !== 'tEXt' && type !== 'zTXt' && type !== 'iTXt') return undefined
  const end = data.indexOf(0)
  if (end < 0 || end > 79) return undefined
  const keyword = latin1(data.subarray(0, end)).toLowerCase()
  return keyword === 'chara' || keyword === 'ccv3' ? keyword : undefined
}

/** Returns the text behind the keyword, which ends at `end`; empty where it cannot be read. */
function textOf(type: string, data: Uint8Array, end: number): string {
  if (type === 'tEXt') return latin1(data.subarray(end + 1))
  if (type === 'zTXt') return latin1(unpacked(data.subarray(end + 2)))
  // Flag and method of compression, then a language and a translated keyword, each ended by 0.
  const isPacked = data[end + 1] === 1
  const language = data.indexOf(0, end + 3)
  const translated = data.indexOf(0, language + 1)
  if (language < 0 || translated < 0) return ''
  const text = data.subarray(translated + 1)
  return new TextDecoder().decode(isPacked ? unpacked(text) : text)
}

/** Unpacks no more than a card may have: a small file cannot become a large one. */
function unpacked(data: Uint8Array): Uint8Array {
  try {
    return inflateSync(data, { maxOutputLength: limitUnpackedBytes })
  } catch {
    return new Uint8Array()
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
