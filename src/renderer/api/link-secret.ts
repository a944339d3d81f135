import { z } from 'zod'
import { LINK_FRAGMENT, LINK_PATH } from '../../shared/rpc/link-protocol.ts'
import { RefusedError } from './keep-connected.ts'

const STORAGE_KEY = 'tsugi.secret'
const Exchanged = z.object({ secret: z.string() })

export type LinkPage = {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState'>
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  fetch: typeof globalThis.fetch
}

/** Returns this tab's secret for the host; takes it from the link at once. Only a reload keeps it. */
export function takeLinkSecret(page: LinkPage) {
  const { location, history, storage } = page
  let token: string | null = null

  /** Removes a link's token from the address bar, and so from the history; false where there is none. */
  function take(): boolean {
    const found = new URLSearchParams(location.hash.slice(1)).get(LINK_FRAGMENT)
    if (found === null) return false
    history.replaceState(null, '', location.pathname + location.search)
    token = found
    return true
  }

  async function exchange(offered: string): Promise<void> {
    const response = await page.fetch(LINK_PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: offered }),
      credentials: 'omit',
    })
    if (response.ok) storage.setItem(STORAGE_KEY, Exchanged.parse(await response.json()).secret)
    // A link that was used before must not lock out a tab that already has a secret.
    else if (response.status !== 401) throw new Error(`The link's exchange answered ${response.status}`)
    // A newer link may have been pasted meanwhile.
    if (token === offered) token = null
  }

  take()
  return {
    take,
    /**
     * Exchanges the link's token if there is one left, else returns the kept secret.
     *
     * Errors: `RefusedError` when the host does not accept this tab; anything else when it cannot be reached.
     */
    async get() {
      if (token !== null) await exchange(token)
      const secret = storage.getItem(STORAGE_KEY)
      if (secret === null) throw new RefusedError()
      return secret
    },
    /** Deletes the kept secret, which the host does not know (any more). */
    forget: () => storage.removeItem(STORAGE_KEY),
  }
}
