import { crc32, inflateRawSync } from 'node:zlib'
import { tryDecode } from '../platform/files/encodings.ts'

/** Limits of the wanted files. Units: bytes, unpacked. */
export type ArchiveLimits = { files: number; bytes: number }

const endOfDirectory = 0x06054b50
const entryOfDirectory = 0x02014b50
const localFile = 0x04034b50
/** Maximum size of the end record, which has a comment of at most 65,535 bytes. */
const mostEnd = 22 + 0xffff
const isEncrypted = 1
const isUtf8 = 1 << 11

/**
 * Unpacks files of a ZIP archive, in the order of its directory. Does not trust sizes in the archive: the unpacked
 * bytes are counted, and must have the length and checksum that the archive states.
 *
 * Errors: plain `Error`s, for an invalid or encrypted archive, one beyond the limits, or one larger than 4 GB.
 * Source: PKWARE's APPNOTE.TXT 6.3.10, 4.3.
 */
export function readArchive(bytes: Uint8Array, isWanted: (name: string) => boolean, limits: ArchiveLimits) {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOf(archive)
  const files = new Map<string, Uint8Array>()
  let [at, room] = [archive.readUInt32LE(end + 16), limits.bytes]
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    need(archive.readUInt32LE(at) === entryOfDirectory, 'no entry')
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28)
    const flags = archive.readUInt16LE(at + 8)
    const name = nameOf(archive.subarray(at + 46, nameEnd), (flags & isUtf8) !== 0)
    if (isWanted(name)) {
      need((flags & isEncrypted) === 0, 'encrypted')
      need(files.size < limits.files, 'too many files')
      const file = unpacked(archive, at, room)
      room -= file.length
      files.set(name, file)
    }
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}

/**
 * Decodes a file's name. Without the sign for UTF-8, macOS writes UTF-8 all the same, and Windows the code page of the
 * system, which in Japan is Shift_JIS.
 */
function nameOf(bytes: Buffer, isSaidUtf8: boolean): string {
  if (isSaidUtf8) return bytes.toString('utf8')
  return tryDecode(bytes, 'utf-8') ?? tryDecode(bytes, 'shift_jis') ?? bytes.toString('latin1')
}

/** Finds the record that ends the archive's directory by searching backwards. Units: an offset in bytes. */
function endOf(archive: Buffer): number {
  for (let at = archive.length - 22; at >= 0 && at >= archive.length - mostEnd; at -= 1)
    if (archive.readUInt32LE(at) === endOfDirectory) return at
  throw new Error('no archive')
}

/** Unpacks the file of the directory entry at offset `entry`. */
function unpacked(archive: Buffer, entry: number, room: number): Uint8Array {
  const method = archive.readUInt16LE(entry + 10)
  const length = archive.readUInt32LE(entry + 24)
  const local = archive.readUInt32LE(entry + 42)
  need(length <= room, 'too large')
  need(archive.readUInt32LE(local) === localFile, 'no file')
  const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const packed = archive.subarray(from, from + archive.readUInt32LE(entry + 20))
  need(method === 0 || method === 8, `method ${method}`)
  const file = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, length) })
  need(file.length === length && crc32(file) === archive.readUInt32LE(entry + 16), 'damaged')
  return file
}

function need(isSo: boolean, why: string): void {
  if (!isSo) throw new Error(`the archive: ${why}`)
}
