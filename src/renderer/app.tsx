import './app.css'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { Dialogs } from './dialogs.tsx'
import { DroppedModel } from './dropped-model.tsx'
import { ContextPanel } from './features/context/context-panel.tsx'
import { DetailsPanel, MemoPanel } from './features/details/details-panel.tsx'
import { IdeaPanel } from './features/details/idea-panel.tsx'
import { FilePanel } from './features/files/file-panel.tsx'
import { AskPanel } from './features/find/ask-panel.tsx'
import { GateNotice } from './features/gates/gate-notice.tsx'
import { HistoryPanel } from './features/history/history-panel.tsx'
import { Manuscript } from './features/manuscript/manuscript.tsx'
import { SamplePage } from './features/manuscript/sample-page.tsx'
import { ModelSetup } from './features/models/model-setup.tsx'
import { Banners } from './features/shell/banners.tsx'
import { Header } from './features/shell/header.tsx'
import { StatusBar } from './features/shell/status-bar.tsx'
import { DamagedRecord, NoLink } from './features/shell/stopped-pages.tsx'
import { Toasts } from './features/shell/toasts.tsx'
import { TakesPanel } from './features/takes/takes-panel.tsx'
import { Welcome } from './features/welcome/welcome.tsx'
import { SessionFiles, SessionPage, SessionSide } from './session-page.tsx'
import { isPaneOpen, type SideTab } from './state/slices/ui-slice.ts'
import { useApp, useWords } from './state/store-context.tsx'
import { Button } from './ui/button.tsx'
import { Tabs } from './ui/tabs.tsx'
import {
  useAppearance,
  useHiddenBehindDialog,
  useHostCommands,
  useInputKind,
  useKeys,
  useNarrow,
} from './use-window.ts'

type AppProps = { cspNonce: string | undefined; pathOf?: ((file: File) => string) | undefined }

/** `pathOf`: where a dropped file lies, which only the desktop tells. */
export function App({ cspNonce, pathOf }: AppProps) {
  useAppearance()
  useKeys()
  useHostCommands()
  useNarrow()
  useInputKind()
  const hasWork = useApp((state) => state.work.current !== null)
  const isReady = useApp((state) => state.connection.host !== null)
  const isStarted = useApp((state) => state.connection.isStarted)
  const damage = useApp((state) => state.connection.host?.damage ?? null)
  const isShutOut = useApp(({ connection: { status, isLinkTried, host } }) => {
    return host === null && (status === 'refused' || isLinkTried)
  })
  const page = useHiddenBehindDialog()
  return (
    <div className="app">
      <div ref={page} className="app-page">
        <Header />
        <Banners />
        {damage ? (
          <DamagedRecord damage={damage} />
        ) : hasWork ? (
          <Workspace cspNonce={cspNonce} />
        ) : isReady && isStarted ? (
          <Start cspNonce={cspNonce} />
        ) : isReady ? (
          <Opening />
        ) : isShutOut ? (
          <div className="app-body">
            <NoLink />
          </div>
        ) : (
          <Connecting />
        )}
        <StatusBar />
        <OpeningVeil />
      </div>
      <Dialogs />
      <Toasts />
      <GateNotice />
      <DroppedModel pathOf={pathOf} />
    </div>
  )
}

function Start({ cspNonce }: { cspNonce: string | undefined }) {
  const isOpening = useApp((state) => state.work.isOpening)
  return (
    <div className="app-body" inert={isOpening}>
      <Welcome samplePage={<SamplePage cspNonce={cspNonce} />} modelSetup={<ModelSetup />} />
    </div>
  )
}

function Connecting() {
  const { t } = useWords()
  return (
    <div className="app-body app-connecting late" role="status">
      {t('connecting')}
    </div>
  )
}

/** Fills the window until it knows what to open; a button skips a folder that does not answer. */
function Opening() {
  const { t } = useWords()
  const startWithout = useApp((state) => state.connection.startWithout)
  return (
    <div className="app-body app-connecting late">
      <p role="status">{t('start.opening')}</p>
      <div className="app-without">
        <Button onClick={startWithout}>{t('start.without')}</Button>
      </div>
    </div>
  )
}

/** Blocks typing while a work or a new text is being opened: input would go into the text that is still shown. */
function OpeningVeil() {
  const { t } = useWords()
  const isOpening = useApp(({ work, connection }) => work.isOpening && connection.isStarted)
  const giveUp = useApp((state) => state.work.giveUpOpening)
  if (!isOpening) return null
  return (
    <div className="opening-veil late">
      <div className="opening">
        <p role="status">{t('start.opening')}</p>
        <Button onClick={giveUp}>{t('action.cancel')}</Button>
      </div>
    </div>
  )
}

/**
 * Three panes of manuscripts or of sessions. Beside an open side pane the editor stays mounted; the text of a
 * manuscript that is not shown is the host's, and comes back with its caret.
 */
function Workspace({ cspNonce }: { cspNonce: string | undefined }) {
  const { t } = useWords()
  const ui = useApp((state) => state.ui)
  const isOpening = useApp((state) => state.work.isOpening)
  const isSession = ui.view === 'session'
  const left = isSession ? <SessionFiles /> : <FilePanel />
  const right = isSession ? <SessionSide /> : <Side />
  const hasFiles = !ui.isNarrow && isPaneOpen(ui, 'files')
  const hasSide = !ui.isNarrow && isPaneOpen(ui, 'side')
  return (
    <div className="app-body" inert={isOpening}>
      <Group id="desk" orientation="horizontal">
        {hasFiles && (
          <Panel
            id="files"
            defaultSize={220}
            minSize={160}
            maxSize={400}
            groupResizeBehavior="preserve-pixel-size"
          >
            {left}
          </Panel>
        )}
        {hasFiles && <Separator className="app-separator" title={t('pane.resizeFiles')} />}
        <Panel id="page" minSize={320}>
          {isSession ? <SessionPage cspNonce={cspNonce} /> : <Manuscript cspNonce={cspNonce} />}
        </Panel>
        {hasSide && <Separator className="app-separator" title={t('pane.resizeSide')} />}
        {hasSide && (
          <Panel
            id="side"
            defaultSize={320}
            minSize={260}
            maxSize={560}
            groupResizeBehavior="preserve-pixel-size"
          >
            {right}
          </Panel>
        )}
      </Group>
      {ui.drawer && (
        <>
          <div
            className="drawer-veil"
            aria-hidden="true"
            onClick={() => ui.togglePane(ui.drawer ?? 'files', false)}
          />
          <div className={`drawer drawer-${ui.drawer}`}>{ui.drawer === 'files' ? left : right}</div>
        </>
      )}
    </div>
  )
}

const sideTabs: { value: SideTab; Content: () => React.ReactNode }[] = [
  { value: 'details', Content: DetailsPanel },
  { value: 'takes', Content: TakesPanel },
  { value: 'context', Content: ContextPanel },
  { value: 'ask', Content: AskPanel },
  { value: 'memo', Content: MemoPanel },
  { value: 'history', Content: HistoryPanel },
]

function Side() {
  const { t } = useWords()
  const tab = useApp((state) => state.ui.tab)
  const isIdea = useApp((state) => state.ideas.mode === 'idea')
  const showTab = useApp((state) => state.ui.showTab)
  return (
    <aside className="side" aria-label={t('pane.side')}>
      <Tabs
        label={t('pane.side')}
        value={tab}
        onChange={showTab}
        tabs={sideTabs.map(({ value, Content }) => ({
          value,
          label: t(value === 'takes' && isIdea ? 'tab.ideas' : `tab.${value}`),
          content: value === 'takes' && isIdea ? <IdeaPanel /> : <Content />,
        }))}
      />
    </aside>
  )
}
