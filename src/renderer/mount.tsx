import '@fontsource/shippori-mincho/400.css'
import '@fontsource/source-serif-4/400.css'
import './ui/tokens.css'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { type AppStore, createAppStore } from './state/app-store.ts'
import type { Connection } from './state/connection.ts'
import { StoreProvider } from './state/store-context.tsx'
import { createBrowserMemory } from './state/window-memory.ts'

declare global {
  /** Read by the parts of radix-ui that inject a style element. */
  var __webpack_nonce__: string | undefined
}

/** Puts the window into the page. `cspNonce`: of the page's policy, for styles that are injected later. */
export function mountWindow(connection: Connection, cspNonce: string | undefined): AppStore {
  if (cspNonce) globalThis.__webpack_nonce__ = cspNonce
  const store = createAppStore(connection, createBrowserMemory(openStorage()))
  window.addEventListener('pagehide', () => store.getState().drafts.flush())
  const root = document.getElementById('root')
  if (root === null) throw new Error('the page has no #root')
  createRoot(root).render(
    <StoreProvider store={store}>
      <App cspNonce={cspNonce} />
    </StoreProvider>,
  )
  return store
}

/** Null where the browser forbids it. */
function openStorage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}
