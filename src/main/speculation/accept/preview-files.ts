import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import type { OverlayFile } from '../overlay/overlay.ts'
import type { FileTexts } from './file-conflict.ts'
import { changedFiles, ignoredOf, previewOf } from './staged-call.ts'

/** A changed file with both texts. Null: no such file, or none that can be shown. */
export type PreviewedFile = ChangedFile & { oldText: string | null; newText: string | null }

/** What a speculation would change, for reading. Shape: `ignored` counts files by their topmost ignored folder. */
export function previewOfFiles(
  texts: FileTexts,
  files: readonly OverlayFile[],
): { files: PreviewedFile[]; ignored: { top: string; files: number; removed: number; sizeBytes: number }[] } {
  const own = files.filter(({ ignoredTop }) => ignoredTop === null)
  const ignored = files.flatMap(({ path, ignoredTop, newBytes }) =>
    ignoredTop === null ? [] : { path, ignoredTop, newBytes },
  )
  return {
    files: own.flatMap(({ path, baseBytes: oldBytes, newBytes, mode }) => {
      const file = { path, oldBytes, newBytes, mode }
      const { oldText, newText } = previewOf(texts, file)
      return changedFiles(texts, [file]).map((changed) => ({ ...changed, oldText, newText }))
    }),
    ignored: ignoredOf(ignored).map(({ top, written, removed, sizeBytes }) => {
      return { top, files: written.length, removed: removed.length, sizeBytes }
    }),
  }
}
