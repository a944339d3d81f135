import { BlockList, isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** True for an address at which only this machine can reach a server. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  if (family === 0) return host.toLowerCase() === 'localhost'
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** Checks `Host` and `Origin` of requests. A page that rebinds its own name to our address passes neither check. */
export type AllowedHosts = ReturnType<typeof createAllowedHosts>

/**
 * Shape: `host` is what the server listens on; `names` are further names of it. Listening on all addresses
 * allows this machine's name and the addresses of its interfaces.
 */
export function createAllowedHosts(options: {
  host: string
  port: number
  isTls: boolean
  names: readonly string[]
}) {
  const scheme = options.isTls ? 'https' : 'http'
  const names = [...LOOPBACK_NAMES, ...namesOf(options.host), ...options.names]
  const allowed = new Set(names.flatMap((name) => originOf(`${bracketed(name)}:${options.port}`) ?? []))

  // The URL parser leaves the default port out and lower-cases names, as browsers do in both headers.
  function originOf(authority: string): string | undefined {
    if (!/^[\w.:[\]-]+$/.test(authority)) return undefined
    const url = URL.parse(`${scheme}://${authority}`)
    return url === null ? undefined : url.origin
  }

  function isHost(header: string | undefined): boolean {
    const origin = header === undefined ? undefined : originOf(header)
    return origin !== undefined && allowed.has(origin)
  }

  return {
    isHost,
    /** True where the page that sent the request was served from this same address. */
    isOrigin: (origin: string | undefined, hostHeader: string | undefined): boolean =>
      origin !== undefined && isHost(hostHeader) && origin === originOf(hostHeader ?? ''),
  }
}

/** Puts an IPv6 address into brackets, as in URLs. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}

function namesOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return [hostname(), ...addresses.map(({ address }) => address)]
}
