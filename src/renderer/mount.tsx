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
import { hasKeptText, hasUnsavedText } from './state/unsaved-text.ts'
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
    store.getState().unsent.flush()
    store.getState().detailTexts.flush()
  })
  // A connected host saves within a second what it is told; anything else would be lost with the tab.
  window.addEventListener('beforeunload', (event) => {
    const isOpen = store.getState().connection.status === 'open'
    // The desktop's window has its host in it, and asks nothing.
    const wouldLose = isOpen ? pathOf === undefined && hasKeptText(store) : hasUnsavedText(store)
    if (wouldLose) event.preventDefault()
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
