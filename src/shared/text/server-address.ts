import { withoutEnd } from './without-end.ts'

/** Dashes, colons and figures as a Japanese input method types them count as those of ASCII. */
function plain(text: string): string {
  const typed = text.normalize('NFKC').trim()
  return withoutEnd(typed.replace(/^["'「]+/, ''), `"'」`).trim()
}

const port = /^:?(\d{1,5})(\/.*)?$/

/**
 * Reads a server's address as people write it: a port alone (`5001`, `:8080`), a host with or without a port, an
 * IPv6 address with or without brackets, or a whole address.
 *
 * Shape: an address with `http://` or `https://`, without a slash at its end; null for what is no address. Without
 * a scheme, names of this machine and of the local network are asked by HTTP, any other by HTTPS.
 */
export function readServerAddress(text: string): string | null {
  const typed = plain(text)
  if (typed === '') return null
  const alone = port.exec(typed)
  if (alone !== null) return whole(`http://127.0.0.1:${alone[1]}${alone[2] ?? ''}`)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return whole(typed)
  const bare = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(typed) ? `[${typed}]` : typed.replace(/^\/\//, '')
  const local = whole(`http://${bare}`)
  if (local === null) return null
  return isLocal(new URL(local).hostname) ? local : whole(`https://${bare}`)
}

function whole(text: string): string | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return null
  }
  if (!/^https?:$/.test(url.protocol) || /[?#@\s]/.test(text) || url.hostname === '') return null
  // Servers print this when they listen everywhere; nothing can be asked there on Windows.
  const address = url.hostname === '0.0.0.0' ? url.href.replace('0.0.0.0', '127.0.0.1') : url.href
  return withoutEnd(address, '/')
}

function isLocal(host: string): boolean {
  if (host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)) return true
  return !host.includes('.') || /\.(local|lan|home|internal|home\.arpa|localhost)$/.test(host)
}
