import { Text } from '@codemirror/state'
import { AppError } from '../../../shared/errors.ts'
import { changesBetween } from '../../documents/text-difference.ts'
import { readTextFile, writeTextFile } from '../../platform/files/text-file.ts'

/** Text above this is not edited. Units: bytes. Source: `docs/decisions/sessions.md`, Tools. */
export const limitEditBytes = 5_000_000

/** Returns a file's text with LF line ends. Errors: `file/not-text`. */
export function textOf(bytes: Uint8Array, path: string): string {
  return readTextFile(bytes, path).doc.toString()
}

/** As `textOf`; null for bytes that are not text, or too many to be shown. */
export function shownText(bytes: Uint8Array | null, path: string): string | null {
  if (bytes === null || bytes.length > limitEditBytes) return null
  try {
    return textOf(bytes, path)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/**
 * Returns the bytes of `newText` in the spelling of the file that it replaces: encoding, byte order mark, line ends;
 * untouched lines keep their bytes. A new file is UTF-8 as it is.
 *
 * Shape: `newText` with LF line ends where there are `oldBytes`.
 * Errors: `file/unencodable`; `file/not-text` where `oldBytes` are not text.
 */
export function respellText(oldBytes: Uint8Array | null, newText: string, path: string): Uint8Array {
  if (oldBytes === null)
    return writeTextFile({ ...readTextFile(new Uint8Array(), path), doc: asText(newText) }, path)
  const { doc, format, spelling } = readTextFile(oldBytes, path)
  const wanted = asText(newText)
  if (wanted.eq(doc)) return oldBytes
  // Without `spelling` all lines are spelled alike, so that it does not matter which of them stay.
  spelling?.apply(changesBetween(doc, wanted), doc)
  return writeTextFile({ doc: wanted, format, spelling }, path)
}

/** Only LF is a line end here. */
function asText(text: string): Text {
  return Text.of(text.split('\n'))
}

/** As a model writes it, with LF line ends. */
export function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
