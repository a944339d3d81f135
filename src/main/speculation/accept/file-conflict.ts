import type { SpeculationConflict } from '../../../shared/domain/session/speculation.ts'
import type { FileNow } from '../../workspace/writable-folder.ts'
import type { OverlayFile } from '../overlay/overlay.ts'

/** Files as text. */
export type FileTexts = {
  /** Returns the text with LF line ends; null for what is no text, or too long to be shown. */
  read(bytes: Uint8Array, path: string): string | null
  /** Returns the bytes of a text in the encoding and with the line ends of `like`. Errors: `file/unencodable`. */
  respell(like: Uint8Array | null, text: string, path: string): Uint8Array
}

/** Returns the conflict of a file that is not what a change was made on: what it was, is, and would become. */
export function conflictOf(
  texts: Pick<FileTexts, 'read'>,
  { path, baseHash, baseBytes, newBytes }: Omit<OverlayFile, 'mode'>,
  now: FileNow,
): SpeculationConflict {
  const sides = [baseBytes, now.kind === 'file' ? now.bytes : null, newBytes]
  const shown = sides.map((bytes) => (bytes === null ? null : texts.read(bytes, path)))
  const isText = sides.every((bytes, at) => bytes === null || shown[at] !== null)
  const [baseText = null, currentText = null, newText = null] = isText ? shown : []
  const currentHash = now.kind === 'file' ? now.hash : null
  return { path, why: whyNot(baseHash, now), isText, currentHash, baseText, currentText, newText }
}

function whyNot(baseHash: string | null, now: FileNow): SpeculationConflict['why'] {
  if (now.kind === 'other') return 'folder'
  if (now.kind === 'elsewhere') return 'elsewhere'
  if (baseHash === null) return 'appeared'
  return now.kind === 'none' ? 'removed' : 'changed'
}
