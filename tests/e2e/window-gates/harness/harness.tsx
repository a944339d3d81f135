import '@fontsource/shippori-mincho/400.css'
import { keepCompositionKeys } from '../../../../src/renderer/composition-keys.ts'
import '../../../../src/renderer/ui/tokens.css'
import '../../../../src/renderer/ui/base.css'
import './harness.css'
import type { ComponentType } from 'react'
import { createRoot } from 'react-dom/client'
import { Dialogs } from '../../../../src/renderer/dialogs.tsx'
import { AuditLog } from '../../../../src/renderer/features/consent/audit-log.tsx'
import { TrustNotice } from '../../../../src/renderer/features/consent/consent-notices.tsx'
import { CoursePanel } from '../../../../src/renderer/features/course/course-panel.tsx'
import { SentContext } from '../../../../src/renderer/features/course/sent-context.tsx'
import { GateCard } from '../../../../src/renderer/features/gates/gate-card.tsx'
import { GateNotice } from '../../../../src/renderer/features/gates/gate-notice.tsx'
import { Toasts } from '../../../../src/renderer/features/shell/toasts.tsx'
import { type AppStore, createAppStore } from '../../../../src/renderer/state/app-store.ts'
import { StoreProvider, useApp } from '../../../../src/renderer/state/store-context.tsx'
import { createBrowserMemory } from '../../../../src/renderer/state/window-memory.ts'
import { useAppearance, useKeys } from '../../../../src/renderer/use-window.ts'
import type { SessionItem } from '../../../../src/shared/domain/session/session-item.ts'
import { connectToFakeHost } from '../../../fakes/window-host/fake-connection.ts'
import { FakeHost } from '../../../fakes/window-host/fake-host.ts'
import { readyModel } from '../../../fakes/window-host/fixtures.ts'
import { ItemMaker } from '../../../fakes/window-host/session-fixtures.ts'
import { panels } from './panels.ts'
import { type Scene, scenes } from './scenes.ts'

/** What a test can do to the page's host, and the items that it can make. */
type Parts = { host: FakeHost; store: AppStore; make: ItemMaker; sessionId: string; scenes: typeof scenes }

declare global {
  var parts: Parts
}

const query = new URLSearchParams(location.search)
const host = new FakeHost()
const make = new ItemMaker()
host.openPath = host.work.root
host.setModel(readyModel)
host.locale = query.get('language') === 'en' ? 'en-GB' : 'ja-JP'
const theme = query.get('theme')
if (theme === 'light' || theme === 'dark' || theme === 'sepia') host.settings = { ...host.settings, theme }
if (query.has('untrusted')) host.sessions.trust = { isTrusted: false, isAsked: false }

const scene: Scene = scenes[query.get('scene') ?? '']?.() ?? { gates: [], diffs: [] }
host.sessions.diffs = scene.diffs
const items: SessionItem[] = [make.user(1, '閏年の判定を直してください。')]
const { sessionId } = host.sessions.add({}, items).listed
panels(host, sessionId, make)
if (!query.has('later')) open()

/** Puts the scene's gates into the session. */
function open(): void {
  for (const gate of scene.gates) host.sessions.put(sessionId, make.gate(1, gate))
  host.sessions.change(sessionId, { openGates: scene.gates.map((gate) => gate.gateId) })
}

const store = createAppStore(connectToFakeHost(host), createBrowserMemory(null))
globalThis.parts = { host, store, make, sessionId, scenes }
addEventListener('open-gates', open)

const sides: Record<string, ComponentType> = { course: CoursePanel, sent: SentContext, audit: AuditLog }

/** The parts that ask for consent, without the conversation around them. */
function Page() {
  useAppearance()
  useKeys()
  const view = useApp((state) => state.conversation.current)
  const Side = sides[query.get('side') ?? '']
  const front = view?.state?.openGates[0]
  return (
    <div className="parts">
      <main>
        <TrustNotice />
        <textarea className="textarea" aria-label="box" />
        {query.has('far') && <div className="parts-far" />}
        {view?.items.map(
          (item) =>
            item.kind === 'gate' && (
              <GateCard key={item.itemId} item={item} isFront={item.gate.gateId === front} />
            ),
        )}
      </main>
      {Side && (
        <aside>
          <Side />
        </aside>
      )}
      <Dialogs />
      <Toasts />
      <GateNotice />
    </div>
  )
}

// As `mountWindow` does: parts of radix-ui inject a style element, and keys of a composition stay in their field.
keepCompositionKeys(window)
globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
createRoot(root).render(
  <StoreProvider store={store}>
    <Page />
  </StoreProvider>,
)
let isOpening = false
store.subscribe(({ work, conversation }) => {
  // Opening changes the store before the session is there.
  if (isOpening || work.current === null || conversation.current !== null) return
  isOpening = true
  conversation.open(sessionId)
  isOpening = false
})
