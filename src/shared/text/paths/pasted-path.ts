/**
 * Reads a path as people paste it: with quotes of any kind around it, as a `file://` address, or with the backslashes
 * that a shell puts before spaces. `~` stays: only the host knows the home folder.
 *
 * Shape: null for an address of another kind, and for a file of another machine that no path can name.
 */
export function pastedPath(typed: string): string | null {
  const bare = unquoted(typed.trim())
  if (/^file:/i.test(bare)) return fromFileUrl(bare)
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(bare)) return null
  // A backslash separates folders on Windows and escapes a character elsewhere.
  return /^[/~]/.test(bare) ? bare.replace(/\\(.)/g, '$1') : bare
}

const quotes: readonly [string, string][] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['「', '」'],
  ['`', '`'],
  ['<', '>'],
]

function unquoted(text: string): string {
  const pair = quotes.find(
    ([open, close]) => text.length > 1 && text.startsWith(open) && text.endsWith(close),
  )
  return pair === undefined ? text : text.slice(1, -1).trim()
}

function fromFileUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null) return null
  const path = decoded(url.pathname)
  if (path === null) return null
  const drive = /^\/([a-z]:)(\/.*)?$/i.exec(path)
  if (drive !== null) return `${drive[1]}${(drive[2] ?? '/').replaceAll('/', '\\')}`
  if (url.hostname === '' || url.hostname === 'localhost') return path
  return `\\\\${url.hostname}${path.replaceAll('/', '\\')}`
}

/** Decodes a path; null where a `%` in a file name is not an encoding. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
