import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import type { FilePreview } from '../prepared-call.ts'

/** Returns a change of a file as a card shows it. `hunks` are those of its texts. */
export function changedFile(
  preview: FilePreview,
  hunks = diffHunks(preview.oldText ?? '', preview.newText ?? ''),
): ChangedFile {
  const { path, to, action, entry, mode, isOpaque } = preview
  const count = (side: 'oldLines' | 'newLines'): number =>
    hunks.reduce((sum, hunk) => sum + hunk[side].length, 0)
  return {
    path,
    to,
    action,
    addedLines: count('newLines'),
    removedLines: count('oldLines'),
    ...(entry === undefined ? {} : { entry: entry.kind }),
    ...(mode === undefined ? {} : { mode }),
    ...(isOpaque === undefined ? {} : { isOpaque }),
  }
}

/** Returns the mark of a change of bytes that the texts of a preview do not show. */
export function opaqueMark(
  [oldBytes, newBytes]: readonly [Uint8Array | null, Uint8Array | null],
  { oldText, newText }: Pick<FilePreview, 'oldText' | 'newText'>,
): { isOpaque?: true } {
  const isSame =
    oldBytes === null || newBytes === null ? oldBytes === newBytes : Buffer.compare(oldBytes, newBytes) === 0
  return oldText === newText && !isSame ? { isOpaque: true } : {}
}

/** Returns the permissions to name for a file. `mode` is null where they stay; those of a usual new file are not named. */
export function namedMode(action: ChangedFile['action'], mode: number | null): { mode?: number } {
  return mode === null || (action === 'create' && mode === usualNewMode) ? {} : { mode }
}

const usualNewMode = 0o644
