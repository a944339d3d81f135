import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ManuscriptEditor } from '../editor/editor-types.ts'
import type { AppState } from './app-state.ts'
import type { Connection, ConnectionState } from './connection.ts'
import { createKeptTexts, type KeptTexts } from './kept-texts.ts'
import { createCatalogueSlice } from './slices/catalogue-slice.ts'
import { createConnectionSlice } from './slices/connection-slice.ts'
import { createDraftsSlice } from './slices/drafts-slice.ts'
import { createFoldersSlice } from './slices/folders-slice.ts'
import { createFollow } from './slices/follow.ts'
import { createModelsSlice } from './slices/models-slice.ts'
import { createAuditSlice } from './slices/session/audit-slice.ts'
import { createConsentSlice } from './slices/session/consent-slice.ts'
import { createGatesSlice } from './slices/session/gates-slice.ts'
import { createImagesSlice } from './slices/session/images-slice.ts'
import { createReferencesSlice } from './slices/session/references-slice.ts'
import { createSessionsSlice } from './slices/session/sessions-slice.ts'
import { createSpeculationLogSlice } from './slices/session/speculation-log-slice.ts'
import { createSpeculationSlice } from './slices/session/speculation-slice.ts'
import { createSuggestionLogSlice } from './slices/session/suggestion-log-slice.ts'
import { createSuggestionSlice } from './slices/session/suggestion-slice.ts'
import { createTurnFilesSlice } from './slices/session/turn-files-slice.ts'
import { createUndoSlice } from './slices/session/undo-slice.ts'
import { createSettingsSlice } from './slices/settings-slice.ts'
import type { SliceContext } from './slices/slice.ts'
import { createStarterSlice } from './slices/starter-slice.ts'
import { createToolServersSlice } from './slices/tool-servers-slice.ts'
import { createUiSlice } from './slices/ui-slice.ts'
import { createAskSlice } from './slices/work/ask-slice.ts'
import { createCheckSlice } from './slices/work/check-slice.ts'
import { createDetailTextsSlice } from './slices/work/detail-texts-slice.ts'
import { createDocumentsSlice } from './slices/work/documents-slice.ts'
import { createFindSlice } from './slices/work/find-slice.ts'
import { createHistorySlice } from './slices/work/history-slice.ts'
import { createIdeasSlice } from './slices/work/ideas-slice.ts'
import { createKeptSlice } from './slices/work/kept-slice.ts'
import { createLoreSlice } from './slices/work/lore-slice.ts'
import { createPreviewSlice } from './slices/work/preview-slice.ts'
import { createPublishingSlice } from './slices/work/publishing-slice.ts'
import { createRemovedSlice } from './slices/work/removed-slice.ts'
import { createRewriteSlice } from './slices/work/rewrite-slice.ts'
import { createRunsSlice } from './slices/work/runs-slice.ts'
import { createSummariesSlice } from './slices/work/summaries-slice.ts'
import { createTakesSlice } from './slices/work/takes-slice.ts'
import { createWordsSlice } from './slices/work/words-slice.ts'
import { createWorkSettingsSlice } from './slices/work/work-settings-slice.ts'
import { createWorkSlice } from './slices/work/work-slice.ts'
import { createWritingSlice } from './slices/work/writing-slice.ts'
import type { WindowMemory } from './window-memory.ts'

export type AppStore = StoreApi<AppState> & {
  client: Connection['client']
  /** Where the manuscript editor announces itself; commands reach the text through it. */
  editor: { current: ManuscriptEditor | null }
  /** Where the box that messages are written in announces itself. */
  messageBox: { current: { focus(): void } | null }
  keptTexts: KeptTexts
}

/** The window's one store. It follows the host from here on, through every reconnect. */
export function createAppStore(
  connection: Connection,
  memory: WindowMemory,
  keptTexts: KeptTexts = createKeptTexts(null),
  tabMemory: WindowMemory = memory,
  now = Date.now,
): AppStore {
  const { client } = connection
  const editor: AppStore['editor'] = { current: null }
  const messageBox: AppStore['messageBox'] = { current: null }
  const store = createStore<AppState>((set, get) => {
    const context: SliceContext = {
      client,
      follow: createFollow(connection),
      memory,
      tabMemory,
      now,
      editor,
      get,
      patch: (name, part) => set((state) => ({ [name]: { ...state[name], ...part } }) as Partial<AppState>),
    }
    return {
      connection: createConnectionSlice(context, connection),
      settings: createSettingsSlice(context),
      work: createWorkSlice(context),
      workSettings: createWorkSettingsSlice(context),
      detailTexts: createDetailTextsSlice(context, keptTexts.details),
      documents: createDocumentsSlice(context),
      kept: createKeptSlice(context, keptTexts),
      writing: createWritingSlice(context),
      models: createModelsSlice(context),
      starter: createStarterSlice(context),
      catalogue: createCatalogueSlice(context),
      toolServers: createToolServersSlice(context),
      runs: createRunsSlice(context),
      takes: createTakesSlice(context),
      ideas: createIdeasSlice(context),
      rewrite: createRewriteSlice(context),
      words: createWordsSlice(context),
      preview: createPreviewSlice(context),
      history: createHistorySlice(context),
      removed: createRemovedSlice(context),
      publishing: createPublishingSlice(context),
      find: createFindSlice(context),
      ask: createAskSlice(context),
      lore: createLoreSlice(context),
      summaries: createSummariesSlice(context),
      check: createCheckSlice(context),
      sessions: createSessionsSlice(context),
      drafts: createDraftsSlice(context, keptTexts.messages),
      references: createReferencesSlice(context),
      images: createImagesSlice(context),
      suggestion: createSuggestionSlice(context),
      speculation: createSpeculationSlice(context),
      consent: createConsentSlice(context),
      folders: createFoldersSlice(context),
      gates: createGatesSlice(context),
      audit: createAuditSlice(context),
      turnFiles: createTurnFilesSlice(context),
      undo: createUndoSlice(context),
      suggestionLog: createSuggestionLogSlice(context),
      speculationLog: createSpeculationLogSlice(context),
      ui: createUiSlice(context),
    }
  })

  const show = (status: ConnectionState) => {
    store.setState((state) => ({ connection: { ...state.connection, status } }))
    if (status === 'open') void store.getState().connection.opened()
    else store.getState().detailTexts.pause()
  }
  // Another host has nothing open: what this window shows is opened there before anything else is asked.
  connection.beforeOpen?.((fresh) => store.getState().work.prepare(fresh))
  connection.onState(show)
  store.subscribe(({ sessions, suggestion, speculation }, before) => {
    const sessionId = sessions.current?.sessionId ?? null
    if (sessionId === (before.sessions.current?.sessionId ?? null)) return
    suggestion.follow(sessionId)
    speculation.follow(sessionId)
  })
  store.subscribe(({ work, connection: { host }, kept, documents }, before) => {
    const isSame = work.current?.workId === before.work.current?.workId && host === before.connection.host
    if (!isSame) kept.follow()
    else if (kept.stranded.length > 0 && documents.byPath !== before.documents.byPath) kept.look()
  })
  store.subscribe(({ work, settings, summaries }, before) => {
    const wanted = idleSummariesOf(work, settings)
    if (wanted !== idleSummariesOf(before.work, before.settings)) summaries.followIdle(wanted)
  })
  store.getState().settings.start()
  store.getState().models.start()
  store.getState().starter.start()
  if (connection.state() === 'open') show('open')
  return Object.assign(store, { client, editor, messageBox, keptTexts })
}

/** The work whose summaries are made while the model is idle. */
function idleSummariesOf({ current }: AppState['work'], { value }: AppState['settings']): string | null {
  return value.summariesWhileIdle ? (current?.workId ?? null) : null
}
