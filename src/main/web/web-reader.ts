import { BlockList, isIP } from 'node:net'
import type { Deps } from '../deps.ts'
import { fetchPage, refusePrivate } from './fetch-page.ts'
import { type PageText, pageText } from './page-text.ts'

/** A page as it was read. Shape: `address` is that after all redirects. */
export type WebPage = PageText & { address: string; isCut: boolean }

/** Reads pages of the Web. Errors: `WebRefusal`; the signal's reason. */
export type WebReader = ReturnType<typeof createWebReader>

/** Number of pages that are kept for reading on in them, and for how long. Units: pages; ms. */
const kept = { pages: 8, ms: 600_000 } as const

export function createWebReader(deps: Pick<Deps, 'clock' | 'pageNetwork'>) {
  const { clock, pageNetwork = { isAllowed: isPublicAddress } } = deps
  const pages = new Map<string, { at: number; page: WebPage }>()
  return {
    /** Refuses addresses that are never fetched, without looking up names. Errors: `WebRefusal`. */
    check: (address: URL): void => refusePrivate(pageNetwork, address),
    async read(address: URL, signal: AbortSignal): Promise<WebPage> {
      const known = pages.get(address.href)
      if (known !== undefined && clock.now() - known.at < kept.ms) return known.page
      const fetched = await fetchPage(pageNetwork, address, signal)
      const page = { ...(await pageText(fetched, signal)), address: fetched.address, isCut: fetched.isCut }
      pages.delete(address.href)
      pages.set(address.href, { at: clock.now(), page })
      const [oldest] = pages.keys()
      if (pages.size > kept.pages && oldest !== undefined) pages.delete(oldest)
      return page
    },
  }
}

/**
 * Addresses outside the public Internet: of this machine, of its network, and reserved ones.
 *
 * Source: the special-purpose registries of IANA for IPv4 and IPv6.
 */
const special = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(net, prefix, 'ipv4')

/** IPv6 addresses that are assigned for general use; all others are special. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const special6 = new BlockList()
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special6.addSubnet(net, prefix, 'ipv6')

/** True for an address of the public Internet. Errors: none; false for an invalid address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}
