import { lookup } from 'node:dns/promises'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { http } from '../platform/node/node-http.ts'
import { readAddress, siteOf, WebRefusal } from './web-address.ts'

/** A body as a site sent it. Shape: `address` is that after all redirects; `type` and `charset` in lower case. */
export type FetchedPage = {
  address: string
  type: string
  charset: string | null
  body: Buffer
  isCut: boolean
}

/** The network for fetching pages. `isAllowed` decides for each address of a host name whether it may be contacted. */
export type PageNetwork = {
  isAllowed(address: string): boolean
  resolve?(host: string): Promise<readonly string[]>
}

/** Units: bytes; ms; redirects. */
const limits = { bodyBytes: 5_000_000, totalMs: 30_000, redirects: 5 } as const

const headers = {
  accept: 'text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Tsugi',
}

/**
 * Fetches a page. Follows redirects within the site; for another site the user must be asked again.
 *
 * The addresses of a name are checked, and the connection is made to one of those that were checked.
 * Errors: `WebRefusal`; the signal's reason.
 */
export async function fetchPage(network: PageNetwork, first: URL, stop: AbortSignal): Promise<FetchedPage> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(limits.totalMs)])
  try {
    let url = first
    for (let redirects = 0; redirects <= limits.redirects; redirects++) {
      const answer = await request(network, url, signal)
      const next = redirectOf(answer, url)
      if (next === null) return await pageOf(answer, url, signal)
      answer.destroy()
      if (siteOf(next) !== siteOf(first)) throw new WebRefusal('other-site', { address: next.href })
      url = next
    }
    throw new WebRefusal('redirects')
  } catch (error) {
    stop.throwIfAborted()
    if (signal.aborted) throw new WebRefusal('timeout', { seconds: limits.totalMs / 1000 })
    if (error instanceof WebRefusal) throw error
    // The code of a Node error has no paths and numbers.
    const { code, message } = error as { code?: unknown; message?: unknown }
    throw new WebRefusal('unreachable', { problem: typeof code === 'string' ? code : String(message) })
  }
}

/** Refuses an address of a machine that is never contacted, without looking up any name. Errors: `WebRefusal`. */
export function refusePrivate(network: PageNetwork, url: URL): void {
  const host = hostOf(url)
  const isHere = /^(?:.*\.)?localhost\.?$/.test(host) && !network.isAllowed('127.0.0.1')
  if (isHere || (isIP(host) !== 0 && !network.isAllowed(host))) throw new WebRefusal('private', { host })
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function request(network: PageNetwork, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const host = hostOf(url)
  const addresses = await addressesOf(network, host)
  signal.throwIfAborted()
  if (addresses.length === 0) throw new WebRefusal('unreachable', { problem: 'ENOTFOUND' })
  if (!addresses.every((address) => network.isAllowed(address))) throw new WebRefusal('private', { host })
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const pinned: LookupFunction = (_, options, done) => {
    const [one] = found
    if (options.all === true) done(null, found)
    else done(null, one?.address ?? '', one?.family ?? 4)
  }
  const ask = url.protocol === 'https:' ? (await import('node:https')).request : http.request
  const options: RequestOptions = { headers, signal, lookup: pinned, agent: false, method: 'GET' }
  return new Promise((resolve, reject) => {
    ask(url.href, options, resolve).on('error', reject).end()
  })
}

async function addressesOf(network: PageNetwork, host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  if (network.resolve !== undefined) return network.resolve(host)
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return null
  const next = URL.parse(location, from.href)
  if (next === null) throw new WebRefusal('bad-address')
  return readAddress(next.href)
}

async function pageOf(answer: IncomingMessage, url: URL, signal: AbortSignal): Promise<FetchedPage> {
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 299) {
    answer.destroy()
    throw new WebRefusal('status', { status })
  }
  const [type = '', ...parameters] = (answer.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => /^\s*charset="?([^"\s]+)/.exec(part)?.[1]).find(Boolean) ?? null
  const { body, isCut } = await bodyOf(answer, signal)
  return { address: url.href, type: type.trim(), charset, body, isCut }
}

const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

async function bodyOf(
  answer: IncomingMessage,
  signal: AbortSignal,
): Promise<{ body: Buffer; isCut: boolean }> {
  const decode = decoders.get(answer.headers['content-encoding'] ?? '')?.()
  const chunks: Buffer[] = []
  let room: number = limits.bodyBytes
  let isCut = false
  const take = async (source: AsyncIterable<Buffer | string>): Promise<void> => {
    for await (const chunk of source) {
      const bytes = Buffer.from(chunk).subarray(0, room)
      chunks.push(bytes)
      room -= bytes.length
      isCut = room === 0
      if (isCut) return
    }
  }
  try {
    if (decode === undefined) await pipeline(answer, take, { signal })
    else await pipeline(answer, decode, take, { signal })
  } catch (error) {
    // Leaving a body before its end closes the streams before it.
    if (!isCut) throw error
  }
  return { body: Buffer.concat(chunks), isCut }
}
