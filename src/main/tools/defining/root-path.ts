/**
 * Paths of a session that works in several folders: relative to its own folder, absolute in those that were added
 * to it; real ones, `/` between names.
 */

export function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[/\\])/.test(path)
}

/** Returns a path in a folder as tools and models see it. Shape: `below` is relative to it, `.` or empty for itself. */
export function pathIn(root: string, below: string): string {
  return below === '' || below === '.' ? slashed(root) : `${slashed(root)}/${below}`
}

/** Returns the path relative to `root`, the inverse of `pathIn`; `.` for the folder itself, null for a path outside. */
export function pathBelow(root: string, path: string): string | null {
  const top = slashed(root)
  if (path === top) return '.'
  return path.startsWith(`${top}/`) ? path.slice(top.length + 1) : null
}

/** Returns the added folder that holds a path, the innermost of several; undefined for all other paths. */
export function addedFolderOf(added: readonly string[], path: string): string | undefined {
  const holding = added.filter((root) => pathBelow(root, path) !== null)
  return holding.sort((a, b) => b.length - a.length)[0]
}

function slashed(root: string): string {
  return /^[A-Za-z]:/.test(root) ? root.replaceAll('\\', '/') : root
}
