import type { FoundPath } from '../tools/tool-operations.ts'

/** Where a path is, or null where nothing is found or it cannot be looked at. */
export type Look = (path: string) => Promise<FoundPath | null>

/** A file's name is at most this long. Units: UTF-16; names of the system are shorter still. */
const limitName = 255
const hasEnding = /[^/\\]\.[A-Za-z][A-Za-z0-9]{0,9}$/

/**
 * The longest beginning of a typed run that is there: in `小説/第一章.mdを推敲して` the file alone.
 *
 * A beginning counts only where what follows is no more of a name: `a.ts` is not found in `a.tsx`, nor the
 * folder `小説` in `小説/第九章.md`, which is missing.
 * Shape: undefined where nothing is there. Source: `../shared/spec/4-file-refs.md`.
 */
export async function findTypedPath(run: string, look: Look): Promise<string | undefined> {
  const folders = new Map<string, Promise<boolean>>()
  const isFolder = (path: string): Promise<boolean> => {
    const known = folders.get(path) ?? look(path).then((found) => found?.kind === 'folder')
    folders.set(path, known)
    return known
  }
  for (let end = run.length; end > 0; end--) {
    const path = run.slice(0, end)
    if (!isWhole(path, run.slice(end))) continue
    const name = path.replace(/[/\\]+$/, '')
    const slash = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'))
    if (name === '' || name.length - slash > limitName) continue
    if (slash > 0 && !(await isFolder(name.slice(0, slash)))) continue
    const found = await look(path)
    if (found === null || found.kind === 'none') continue
    if (found.kind === 'folder' || path === name) return path
  }
  return undefined
}

/** True where a name can end here. */
function isWhole(path: string, rest: string): boolean {
  if (rest === '') return true
  if (/^[\p{M}\u{dc00}-\u{dfff}]/u.test(rest) || /[\ud800-\udbff]$/.test(path)) return false
  if (/^[/\\]/.test(rest)) return false
  if (/[A-Za-z0-9_]$/.test(path) && /^(?:[A-Za-z0-9_]|[.-][A-Za-z0-9_])/.test(rest)) return false
  if (hasEnding.test(path)) return true
  // A folder, or a file without an ending: more of a path, up to the next mark, means that another one is meant.
  const [more = ''] = rest.split(/(?=[^\p{ASCII}])[\p{P}\p{S}]/u, 1)
  if (/[/\\]|\.[A-Za-z0-9]/.test(more)) return false
  return !/[/\\]$/.test(path) || more === '' || /^[\p{Script=Hiragana}\p{P}]/u.test(more)
}
