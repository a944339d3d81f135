import '@fontsource/shippori-mincho/400.css'
import '@fontsource/source-serif-4/400.css'
import './ui/tokens.css'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { keepCompositionKeys } from './composition-keys.ts'
import { type AppStore, createAppStore } from './state/app-store.ts'
import type { Connection } from './state/connection.ts'
import { createKeptTexts } from './state/kept-texts.ts'
import { StoreProvider } from './state/store-context.tsx'
import { hasUnsavedText } from './state/unsaved-text.ts'
import { createBrowserMemory } from './state/window-memory.ts'

declare global {
  /** Read by the parts of radix-ui that inject a style element. */
  var __webpack_nonce__: string | undefined
}

/** Puts the window into the page. `cspNonce`: of the page's policy, for styles that are injected later. */
export function mountWindow(
  connection: Connection,
  cspNonce: string | undefined,
  pathOf?: ((file: File) => string) | undefined,
): AppStore {
  if (cspNonce) globalThis.__webpack_nonce__ = cspNonce
  // Before any part of the page hears a key.
  keepCompositionKeys(window)
  const ofTab = openStorage('sessionStorage')
  const store = createAppStore(
    connection,
    createBrowserMemory(openStorage('localStorage')),
    createKeptTexts(ofTab),
    createBrowserMemory(ofTab),
  )
  window.addEventListener('pagehide', () => {
    store.getState().drafts.flush()
    store.getState().detailTexts.flush()
  })
  // A connected host saves text within a second; without one, closing the tab would lose it.
  window.addEventListener('beforeunload', (event) => {
    if (store.getState().connection.status !== 'open' && hasUnsavedText(store)) event.preventDefault()
  })
  const root = document.getElementById('root')
  if (root === null) throw new Error('the page has no #root')
  createRoot(root).render(
    <StoreProvider store={store}>
      <App cspNonce={cspNonce} pathOf={pathOf} />
    </StoreProvider>,
  )
  return store
}

/** Returns a storage of the browser; null where the browser forbids it. */
function openStorage(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[name]
  } catch {
    return null
  }
}
