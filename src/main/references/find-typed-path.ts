import { isWholeName } from '../../shared/text/file-references.ts'
import { withoutEnd } from '../../shared/text/without-end.ts'
import type { FoundPath } from '../tools/tool-operations.ts'

/** Where a path is, or null where nothing is found or it cannot be looked at. */
export type Look = (path: string) => Promise<FoundPath | null>

/** The names of a folder, as `nameKey` writes them; none where there is no such folder, null where nobody knows. */
export type NamesIn = (folder: string) => Promise<ReadonlySet<string> | null>

/** A name as some file systems compare them: all that may be the same are. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** A file's name is at most this long. Units: UTF-16; names of the system are shorter still. */
const limitName = 255

/**
 * The longest beginning of a typed run that is there: in `小説/第一章.mdを推敲して` the file alone.
 *
 * A beginning counts only where what follows is no more of a name: `a.ts` is not found in `a.tsx`, nor the
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
