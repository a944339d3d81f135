import { Text } from '@codemirror/state'
import type { LineEnd, TextEncoding } from '../../../shared/domain/work/text-encoding.ts'
import { AppError } from '../../../shared/errors.ts'
import { bomBytes, detectEncoding, encodeText, UnencodableError } from './encodings.ts'
import { type LineSpelling, spellLines } from './line-spelling.ts'

/** Encoding, byte order mark and line end of a text file. */
export type TextFormat = { encoding: TextEncoding; hasBom: boolean; lineEnd: LineEnd }

/**
 * A file read as text.
 *
 * Shape: `doc` has LF line ends; `spelling` is present only where the same bytes cannot be restored from text and
 * format alone.
 */
export type TextFile = { doc: Text; format: TextFormat; spelling: LineSpelling | null }

/** The format of new files. */
export const newFileFormat: TextFormat = { encoding: 'utf-8', hasBom: false, lineEnd: 'lf' }

const lineBreak = /\r\n?|\n/
const endText = { lf: '\n', crlf: '\r\n', cr: '\r', mixed: '\n' } satisfies Record<LineEnd, string>

/**
 * Decodes bytes as text and keeps their format, and their spelling where it is needed.
 *
 * Errors: `file/not-text`.
 */
export function readTextFile(bytes: Uint8Array, path: string): TextFile {
  const found = detectEncoding(bytes)
  if (found === undefined) throw new AppError({ code: 'file/not-text', path })
  const { encoding, hasBom, text } = found
  const format: TextFormat = { encoding, hasBom, lineEnd: lineEndOf(text) }
  const doc = Text.of(text.split(text.includes('\r') ? lineBreak : '\n'))
  if (isPlain(doc, format, bytes)) return { doc, format, spelling: null }
  const body = hasBom ? bytes.subarray(bomBytes(encoding).length) : bytes
  const unit = encoding === 'utf-16le' || encoding === 'utf-16be' ? encoding : 'byte'
  return { doc, format, spelling: spellLines(body, unit) }
}

/**
 * Returns the bytes of a document in its file's own format and spelling.
 *
 * Errors: `file/unencodable` with the characters that the encoding lacks.
 */
export function writeTextFile(file: TextFile, path: string): Buffer {
  const { doc, format, spelling } = file
  try {
    const body =
      spelling === null
        ? encodeText(doc.sliceString(0, doc.length, endText[format.lineEnd]), format.encoding)
        : spelling.toBytes(doc, (text) => encodeText(text, format.encoding))
    return format.hasBom ? Buffer.concat([bomBytes(format.encoding), body]) : body
  } catch (error) {
    if (!(error instanceof UnencodableError)) throw error
    const info = { path, encoding: format.encoding, sample: error.sample }
    throw new AppError({ code: 'file/unencodable', ...info }, { cause: error })
  }
}

/** Returns the line end of a text; LF for a text without any. */
function lineEndOf(text: string): LineEnd {
  if (!text.includes('\r')) return 'lf'
  const found = new Set(text.match(/\r\n?|\n/g))
  if (found.size > 1) return 'mixed'
  if (found.has('\r\n')) return 'crlf'
  return found.has('\r') ? 'cr' : 'lf'
}

function isPlain(doc: Text, format: TextFormat, bytes: Uint8Array): boolean {
  if (format.lineEnd === 'mixed') return false
  const isLegacy = format.encoding === 'shift_jis' || format.encoding === 'euc-jp'
  if (!isLegacy) return true
  try {
    return writeTextFile({ doc, format, spelling: null }, '').equals(bytes)
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
