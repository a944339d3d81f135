import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import type { OverlayFile } from '../overlay/overlay.ts'
import type { WantedFile } from './acceptance-plan.ts'
import type { FileTexts } from './file-conflict.ts'
import { changedFiles, ignoredOf, previewOf } from './staged-call.ts'

/** A changed file with both texts. Null: no such file, or none that can be shown. */
export type PreviewedFile = ChangedFile & { oldText: string | null; newText: string | null }

/** Returns the changes of a speculation as a card shows them, without the files that Git ignores. */
export function shownChanges(texts: FileTexts, files: readonly OverlayFile[]): ChangedFile[] {
  return changedFiles(texts, shownFiles(files))
}

/** What a speculation would change, for reading. Shape: `ignored` counts files by their topmost ignored folder. */
export function previewOfFiles(
  texts: FileTexts,
  files: readonly OverlayFile[],
): { files: PreviewedFile[]; ignored: { top: string; files: number; removed: number; sizeBytes: number }[] } {
  const ignored = files.flatMap(({ path, ignoredTop, newBytes }) =>
    ignoredTop === null ? [] : { path, ignoredTop, newBytes },
  )
  return {
    files: shownFiles(files).flatMap((file) => {
      const { oldText, newText } = previewOf(texts, file)
      return changedFiles(texts, [file]).map((changed) => ({ ...changed, oldText, newText }))
    }),
    ignored: ignoredOf(ignored).map(({ top, written, removed, sizeBytes }) => {
      return { top, files: written.length, removed: removed.length, sizeBytes }
    }),
  }
}

function shownFiles(files: readonly OverlayFile[]): WantedFile[] {
  return files
    .filter(({ ignoredTop }) => ignoredTop === null)
    .map(({ path, baseBytes: oldBytes, newBytes, mode }) => ({ path, oldBytes, newBytes, mode }))
}
