import type { CustomScheme, Protocol } from 'electron'
import { documentModule } from './documented.ts'

type Handler = Parameters<Protocol['handle']>[1]

const standard = new Set<string>()
const handlers = new Map<string, Handler>()
/** Chromium knows no schemes of ours: a host name that cannot exist stands for scheme and host. */
const ending = '.electron-standin.invalid'

const offered: Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle' | 'isProtocolHandled'> = {
  registerSchemesAsPrivileged(schemes: CustomScheme[]) {
    for (const { scheme, privileges } of schemes) if (privileges?.standard) standard.add(scheme)
  },
  handle(scheme, handler) {
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    handlers.set(scheme, handler)
  },
  isProtocolHandled: (scheme) => handlers.has(scheme),
}

export const protocol = documentModule('Protocol', offered)

/** `tsugi://app/x` → `https://app.tsugi.electron-standin.invalid/x`; other addresses stay as they are. */
export function toChromiumAddress(address: string): string {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)(.*)$/i.exec(address)
  const [, scheme = '', host, rest] = parts ?? []
  return standard.has(scheme) ? `https://${host}.${scheme}${ending}${rest}` : address
}

export function fromChromiumAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const { hostname, origin } = new URL(address)
  if (!hostname.endsWith(ending)) return address
  const [scheme, ...host] = hostname.slice(0, -ending.length).split('.').reverse()
  return `${scheme}://${host.reverse().join('.')}${address.slice(origin.length)}`
}

/** The pattern of addresses that the stand-in answers itself. */
export const handledPattern = `https://*${ending}/*`

/** Answers a request of a page as the scheme's handler does; undefined where the address is no scheme's. */
export async function answerRequest(
  address: string,
  method: string,
): Promise<{ status: number; headers: { name: string; value: string }[]; body: string } | undefined> {
  const own = fromChromiumAddress(address)
  if (own === address) return undefined
  const handler = handlers.get(new URL(own).protocol.slice(0, -1))
  if (handler === undefined) return { status: 404, headers: [], body: '' }
  const response = await handler(new Request(own, { method }))
  return {
    status: response.status,
    headers: [...response.headers].map(([name, value]) => ({ name, value })),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}
