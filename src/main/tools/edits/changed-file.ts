import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import type { FilePreview } from '../prepared-call.ts'

/** Returns a change of a file as a card shows it. */
export function changedFile({ path, to, action, oldText, newText, entry, mode }: FilePreview): ChangedFile {
  const hunks = diffHunks(oldText ?? '', newText ?? '')
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
  }
}

/** Returns the permissions to name for a file. `mode` is null where they stay; those of a usual new file are not named. */
export function namedMode(action: ChangedFile['action'], mode: number | null): { mode?: number } {
  return mode === null || (action === 'create' && mode === usualNewMode) ? {} : { mode }
}

const usualNewMode = 0o644
