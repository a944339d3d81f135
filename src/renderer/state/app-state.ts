import type { Connection } from './connection.ts'
import type { KeptTexts } from './kept-texts.ts'
import { createCatalogueSlice, createStarterSlice } from './slices/catalogue-slice.ts'
import { createConnectionSlice } from './slices/connection-slice.ts'
import { createFoldersSlice } from './slices/folders-slice.ts'
import { createModelsSlice } from './slices/models-slice.ts'
import { createComposerSlice } from './slices/session/composer-slice.ts'
import { createAuditSlice, createConsentSlice } from './slices/session/consent-slice.ts'
import { createConversationSlice } from './slices/session/conversation-slice.ts'
import { createGatesSlice } from './slices/session/gates-slice.ts'
import { createImagesSlice } from './slices/session/images-slice.ts'
import { createSpeculationLogSlice, createSuggestionLogSlice } from './slices/session/log-slices.ts'
import { createReferencesSlice } from './slices/session/references-slice.ts'
import { createSessionsSlice } from './slices/session/sessions-slice.ts'
import { createSpeculationSlice } from './slices/session/speculation-slice.ts'
import { createSuggestionSlice } from './slices/session/suggestion-slice.ts'
import { createTurnFilesSlice, createUndoSlice } from './slices/session/undo-slice.ts'
import { createSettingsSlice, createWorkSettingsSlice } from './slices/settings-slice.ts'
import type { SliceContext } from './slices/slice.ts'
import { createToolServersSlice } from './slices/tool-servers-slice.ts'
import { createUiSlice } from './slices/ui-slice.ts'
import { createUnsentSlice } from './slices/unsent-slice.ts'
import { createAskSlice } from './slices/work/ask-slice.ts'
import { createCheckSlice } from './slices/work/check-slice.ts'
import { createDetailTextsSlice } from './slices/work/detail-texts-slice.ts'
import { createDocumentsSlice } from './slices/work/documents-slice.ts'
import { createFindSlice } from './slices/work/find-slice.ts'
import { createHistorySlice, createRemovedSlice } from './slices/work/history-slice.ts'
import { createIdeasSlice } from './slices/work/ideas-slice.ts'
import { createKeptSlice } from './slices/work/kept-slice.ts'
import { createLoreSlice } from './slices/work/lore-slice.ts'
import { createPreviewSlice } from './slices/work/preview-slice.ts'
import { createPublishingSlice } from './slices/work/publishing-slice.ts'
import { createRewriteSlice } from './slices/work/rewrite-slice.ts'
import { createRunsSlice } from './slices/work/runs-slice.ts'
import { createSummariesSlice } from './slices/work/summaries-slice.ts'
import { createTakesSlice } from './slices/work/takes-slice.ts'
import { createWordsSlice } from './slices/work/words-slice.ts'
import { createWorkSlice } from './slices/work/work-slice.ts'
import { createWritingSlice } from './slices/work/writing-slice.ts'

/** Everything that the window shows, except the text itself, which CodeMirror holds. */
export type AppState = ReturnType<typeof createSlices>

/** The slices, by the names under which `SliceContext` reads and changes them. */
export function createSlices(context: SliceContext, connection: Connection, keptTexts: KeptTexts) {
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
    conversation: createConversationSlice(context),
    composer: createComposerSlice(context),
    unsent: createUnsentSlice(context, keptTexts.messages),
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
}
