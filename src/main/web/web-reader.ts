import type { Deps } from '../deps.ts'
import { fetchPage, refusePrivate } from './fetch-page.ts'
import { type PageText, pageText } from './page-text.ts'
import { isPublicAddress } from './public-address.ts'

/** A page as it was read. Shape: `address` is that after all redirects. */
export type WebPage = PageText & { address: string; isCut: boolean }

/** Reads pages of the Web. Errors: `WebRefusal`; the signal's reason. */
export type WebReader = {
  /** Refuses addresses that are never fetched, without looking up names. Errors: `WebRefusal`. */
  check(address: URL): void
  read(address: URL, signal: AbortSignal): Promise<WebPage>
}

/** Number of pages that are kept for reading on in them, and for how long. Units: pages; ms. */
const kept = { pages: 8, ms: 600_000 } as const

export function createWebReader(deps: Pick<Deps, 'clock' | 'pageNetwork'>): WebReader {
  const { clock, pageNetwork = { isAllowed: isPublicAddress } } = deps
  const pages = new Map<string, { at: number; page: WebPage }>()
  return {
    check: (address) => refusePrivate(pageNetwork, address),
    async read(address, signal) {
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
