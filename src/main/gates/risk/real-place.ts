import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import { isInside } from '../../platform/files/real-path.ts'

/**
 * The real place of a path in a command, as the system resolves it.
 *
 * Shape: `path` is relative to the folder where it is inside, separated by `/`; absolute elsewhere, and inside of
 * other folders that count as the session's.
 */
export type RealPlace = { isInside: boolean; isPresent: boolean; path: string }

/**
 * Follows every link and every `..`, as the system would; a name that does not exist yet is resolved by its folder.
 *
 * Shape: `root` and `others` are real; `path` absolute or relative to `root`. Null where the place is not known.
 */
export async function realPlace(
  disk: Disk,
  root: string,
  path: string,
  others: readonly string[] = [],
): Promise<RealPlace | null> {
  // Not joined: that would undo `link/..` by text.
  const wanted = isAbsolute(path) ? path : `${root}/${path}`
  const missing: string[] = []
  for (let at = wanted; ; at = dirname(at)) {
    try {
      const real = join(await disk.realPath(at), ...missing)
      if (!isInside(root, real)) {
        const isElsewhere = !others.some((other) => isInside(other, real))
        const path = isElsewhere ? real : real.split(sep).join('/')
        return { isInside: !isElsewhere, isPresent: missing.length === 0, path }
      }
      const inside = relative(root, real).split(sep).join('/')
      return { isInside: true, isPresent: missing.length === 0, path: inside }
    } catch (error) {
      const name = basename(at)
      const isMissing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
      if (!isMissing || name === '..' || name === '.' || at === dirname(at)) return null
      // A link to nowhere: what is written to it lands where it points.
      if ((await disk.lstat(at).catch(() => undefined))?.isSymbolicLink() === true) return null
      missing.unshift(name)
    }
  }
}
