import { withoutEnd } from './without-end.ts'

/** Returns the text with dashes, colons and digits of a Japanese input method as ASCII, without outer quotes. */
function plain(text: string): string {
  const typed = text.normalize('NFKC').trim()
  return withoutEnd(typed.replace(/^["'「]+/, ''), `"'」`).trim()
}

const port = /^:?(\d{1,5})(\/.*)?$/

/**
 * Reads a server's address as people write it: a port alone (`5001`, `:8080`), a host with or without a port, an
 * IPv6 address with or without brackets, or a whole address.
 *
 * Shape: an address with `http://` or `https://`, without a slash at its end; null for a text that is no address.
 * Without a scheme, names of this machine and of the local network get HTTP, all others HTTPS.
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
  const url = URL.parse(text)
  if (url === null) return null
  if (!/^https?:$/.test(url.protocol) || /[?#@\s]/.test(text) || url.hostname === '') return null
  // Servers print 0.0.0.0 when they listen on all interfaces; on Windows no request can be sent to it.
  const address = url.hostname === '0.0.0.0' ? url.href.replace('0.0.0.0', '127.0.0.1') : url.href
  return withoutEnd(address, '/')
}

function isLocal(host: string): boolean {
  if (host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)) return true
  return !host.includes('.') || /\.(local|lan|home|internal|home\.arpa|localhost)$/.test(host)
}
