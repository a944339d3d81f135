import { fetchPage, type PageNetwork } from './fetch-page.ts'
import { type PageText, pageText } from './page-text.ts'

/** A page as it was read. Shape: `address` is where it was in the end. */
export type WebPage = PageText & { address: string; isCut: boolean }

/** Reads pages of the Web. Errors: `WebRefusal`; the signal's reason. */
export type WebReader = {
  read(address: URL, signal: AbortSignal): Promise<WebPage>
}

/** So many pages are kept, for as long, to read on in them. Units: pages; ms. */
const kept = { pages: 8, ms: 600_000 } as const

export function createWebReader(deps: { network: PageNetwork; now(): number }): WebReader {
  const pages = new Map<string, { at: number; page: WebPage }>()
  return {
    async read(address, signal) {
      const known = pages.get(address.href)
      if (known !== undefined && deps.now() - known.at < kept.ms) return known.page
      const fetched = await fetchPage(deps.network, address, signal)
      const page = { ...(await pageText(fetched)), address: fetched.address, isCut: fetched.isCut }
      pages.delete(address.href)
      pages.set(address.href, { at: deps.now(), page })
      const [oldest] = pages.keys()
      if (pages.size > kept.pages && oldest !== undefined) pages.delete(oldest)
      return page
    },
  }
}
