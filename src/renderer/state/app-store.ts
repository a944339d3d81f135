import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ManuscriptEditor } from '../editor/editor-types.ts'
import type { AppState } from './app-state.ts'
import { createAuditSlice } from './audit-slice.ts'
import type { Connection, ConnectionState } from './connection.ts'
import { createConnectionSlice } from './connection-slice.ts'
import { createConsentSlice } from './consent-slice.ts'
import { createDocumentsSlice } from './documents-slice.ts'
import { createDraftsSlice } from './drafts-slice.ts'
import { createFindSlice } from './find-slice.ts'
import { createFoldersSlice } from './folders-slice.ts'
import { createFollow } from './follow.ts'
import { createGatesSlice } from './gates-slice.ts'
import { createHistorySlice } from './history-slice.ts'
import { createIdeasSlice } from './ideas-slice.ts'
import { createKeptTexts, type KeptTexts } from './kept-texts.ts'
import { createModelsSlice } from './models-slice.ts'
import { createPreviewSlice } from './preview-slice.ts'
import { createPublishingSlice } from './publishing-slice.ts'
import { createReferencesSlice } from './references-slice.ts'
import { createRemovedSlice } from './removed-slice.ts'
import { createRunsSlice } from './runs-slice.ts'
import { createSessionsSlice } from './sessions-slice.ts'
import { createSettingsSlice } from './settings-slice.ts'
import type { SliceContext } from './slice.ts'
import { createSpeculationLogSlice } from './speculation-log-slice.ts'
import { createSpeculationSlice } from './speculation-slice.ts'
import { createStarterSlice } from './starter-slice.ts'
import { createSuggestionLogSlice } from './suggestion-log-slice.ts'
import { createSuggestionSlice } from './suggestion-slice.ts'
import { createTakesSlice } from './takes-slice.ts'
import { createUiSlice } from './ui-slice.ts'
import { createUndoSlice } from './undo-slice.ts'
import type { WindowMemory } from './window-memory.ts'
import { createWorkSettingsSlice } from './work-settings-slice.ts'
import { createWorkSlice } from './work-slice.ts'
import { createWritingSlice } from './writing-slice.ts'

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
      documents: createDocumentsSlice(context),
      writing: createWritingSlice(context),
      models: createModelsSlice(context),
      starter: createStarterSlice(context),
      runs: createRunsSlice(context),
      takes: createTakesSlice(context),
      ideas: createIdeasSlice(context),
      preview: createPreviewSlice(context),
      history: createHistorySlice(context),
      removed: createRemovedSlice(context),
      publishing: createPublishingSlice(context),
      find: createFindSlice(context),
      sessions: createSessionsSlice(context),
      drafts: createDraftsSlice(context, keptTexts.messages),
      references: createReferencesSlice(context),
      suggestion: createSuggestionSlice(context),
      speculation: createSpeculationSlice(context),
      consent: createConsentSlice(context),
      folders: createFoldersSlice(context),
      gates: createGatesSlice(context),
      audit: createAuditSlice(context),
      undo: createUndoSlice(context),
      suggestionLog: createSuggestionLogSlice(context),
      speculationLog: createSpeculationLogSlice(context),
      ui: createUiSlice(context),
    }
  })

  const show = (status: ConnectionState) => {
    store.setState((state) => ({ connection: { ...state.connection, status } }))
    if (status === 'open') void store.getState().connection.opened()
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
  store.getState().settings.start()
  store.getState().models.start()
  store.getState().starter.start()
  if (connection.state() === 'open') show('open')
  return Object.assign(store, { client, editor, messageBox, keptTexts })
}
