/** Counts Unicode code points; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if (isPairAt(text, i)) {
      count--
      i++
    }
  }
  return count
}

/** A text whose code points can be addressed; built once, with cheap look-ups at any length. */
export type CodePointIndex = {
  readonly text: string
  /** Units: code points. */
  readonly length: number
  /** The UTF-16 position of a code point, clamped to the text; never inside a surrogate pair. */
  toUtf16(codePoint: number): number
  /** The code point that stands at a UTF-16 position, or that the position is inside of. */
  toCodePoint(utf16: number): number
  /** The text from a code point to the end. */
  from(codePoint: number): string
}

const STRIDE = 512

/** Indexes a text by code point in one pass: keeps every 512th position, or none in a text without pairs. */
export function indexCodePoints(text: string): CodePointIndex {
  const samples: number[] = []
  let count = 0
  for (let i = 0; i < text.length; i++, count++) {
    if (count % STRIDE === 0) samples.push(i)
    if (isPairAt(text, i)) i++
  }
  const length = count
  const toUtf16 = (codePoint: number): number => {
    if (codePoint <= 0) return 0
    if (codePoint >= length) return text.length
    if (length === text.length) return codePoint
    let position = samples[Math.floor(codePoint / STRIDE)] ?? 0
    for (let left = codePoint % STRIDE; left > 0; left--) position += isPairAt(text, position) ? 2 : 1
    return position
  }
  const toCodePoint = (utf16: number): number => {
    if (length === text.length) return Math.max(0, Math.min(length, utf16))
    let low = 0
    let high = length
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (toUtf16(middle) <= utf16) low = middle
      else high = middle - 1
    }
    return low
  }
  return { text, length, toUtf16, toCodePoint, from: (codePoint) => text.slice(toUtf16(codePoint)) }
}

function isPairAt(text: string, i: number): boolean {
  const high = text.charCodeAt(i)
  if (high < 0xd800 || high > 0xdbff || i + 1 >= text.length) return false
  const low = text.charCodeAt(i + 1)
  return low >= 0xdc00 && low <= 0xdfff
}
