/**
 * Maximum size of a result where the model's context window is not known. Units: bytes of UTF-8.
 * Source: `docs/decisions/sessions.md`, Tools.
 */
export const limitResultBytes = 16_384

/** Maximum number of entries in the list of a folder; those of a larger one are not all listed. */
export const limitListed = 5_000

const mostResultBytes = 65_536
const leastResultBytes = 4_096
/** The context window, in tokens, for which a result has `limitResultBytes`. */
const usualWindowTokens = 8_192

/**
 * Returns the maximum size of one result for a model with this context window: 32 KB at 32k, 64 KB from 128k, never
 * more than a quarter of the window.
 *
 * Units: bytes of UTF-8; tokens, null where the window is not known.
 */
export function resultBytesFor(windowTokens: number | null): number {
  if (windowTokens === null) return limitResultBytes
  const scaled = Math.floor(limitResultBytes * Math.sqrt(windowTokens / usualWindowTokens))
  // A quarter of the window: a token of plain text is about four bytes.
  const most = Math.min(mostResultBytes, scaled, windowTokens)
  return Math.max(leastResultBytes, most)
}

export function sizeOf(text: string): number {
  return Buffer.byteLength(text)
}

/**
 * Returns the text with control characters replaced by their pictures, and lone surrogates replaced: nothing in it can
 * control a terminal or break an encoding. Tabs and line ends stay.
 */
export function harmless(text: string): string {
  const plain = text.isWellFormed() ? text : text.toWellFormed()
  return plain.replace(/[^\P{Cc}\t\n]/gu, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })
}

/** Returns the text as a model may read it: harmless, and cut to the size of a result. */
export function limited(text: string, limitBytes = limitResultBytes): string {
  return headOf(harmless(text), limitBytes)
}

/** Returns the longest beginning within `limitBytes`, no character cut. */
export function headOf(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limitBytes) return text
  let end = Math.max(0, limitBytes)
  while (end > 0 && isInside(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

/** Returns the longest end within `limitBytes`, no character cut. */
function tailOf(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limitBytes) return text
  let from = bytes.length - Math.max(0, limitBytes)
  while (from < bytes.length && isInside(bytes[from])) from++
  return bytes.toString('utf8', from)
}

/**
 * Returns head and tail of a text that is too long, three parts to one, with `note` between them.
 *
 * Units: bytes. Shape: `note` gets the number of bytes left out; its own length counts towards the limit.
 */
export function cutMiddle(
  text: string,
  limitBytes: number,
  note: (leftOutBytes: number, totalBytes: number) => string,
): { text: string; isCut: boolean } {
  const totalBytes = sizeOf(text)
  if (totalBytes <= limitBytes) return { text, isCut: false }
  const room = limitBytes - sizeOf(note(totalBytes, totalBytes)) - 2
  const head = headOf(text, Math.floor((room * 3) / 4))
  const tail = tailOf(text, room - sizeOf(head))
  const leftOut = totalBytes - sizeOf(head) - sizeOf(tail)
  return { text: `${head}\n${note(leftOut, totalBytes)}\n${tail}`, isCut: true }
}

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
