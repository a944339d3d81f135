import { isWholeName } from '../../shared/text/file-references.ts'
import { withoutEnd } from '../../shared/text/without-end.ts'
import type { FoundPath } from '../tools/tool-operations.ts'

/** Finds a path; returns null where nothing is found or the path cannot be examined. */
export type Look = (path: string) => Promise<FoundPath | null>

/** Returns the names of a folder as `nameKey` writes them; none for a missing folder, null where they are unknown. */
export type NamesIn = (folder: string) => Promise<ReadonlySet<string> | null>

/** Returns a key of a name; names that some file system treats as equal have the same key. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** A file's name is at most this long. Units: UTF-16; names of the system are shorter still. */
const limitName = 255

/**
 * Returns the longest beginning of a typed run that is an existing path: in `小説/第一章.mdを推敲して` the file alone.
 *
 * A beginning counts only where the text behind it does not continue the name: `a.ts` is not found in `a.tsx`, nor the
 * folder `小説` in `小説/第九章.md`, which is missing.
 * Shape: undefined where nothing is there. Source: `docs/decisions/references.md`.
 */
export async function findTypedPath(run: string, look: Look, namesIn: NamesIn): Promise<string | undefined> {
  for (let end = run.length; end > 0; end--) {
    const path = run.slice(0, end)
    if (!isWholeName(path, run.slice(end))) continue
    const name = withoutEnd(path, '/\\')
    const slash = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'))
    if (name === '' || name.length - slash > limitName) continue
    const names = await namesIn(slash < 0 ? '.' : name.slice(0, slash + 1))
    if (names !== null && !names.has(nameKey(name.slice(slash + 1)))) continue
    const found = await look(path)
    if (found === null || found.kind === 'none') continue
    if (found.kind === 'folder' || path === name) return path
  }
  return undefined
}
