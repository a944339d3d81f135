import type { CatalogueSlice } from './slices/catalogue-slice.ts'
import type { ConnectionSlice } from './slices/connection-slice.ts'
import type { DraftsSlice } from './slices/drafts-slice.ts'
import type { FoldersSlice } from './slices/folders-slice.ts'
import type { ModelsSlice } from './slices/models-slice.ts'
import type { AuditSlice } from './slices/session/audit-slice.ts'
import type { ConsentSlice } from './slices/session/consent-slice.ts'
import type { GatesSlice } from './slices/session/gates-slice.ts'
import type { ImagesSlice } from './slices/session/images-slice.ts'
import type { ReferencesSlice } from './slices/session/references-slice.ts'
import type { SessionsSlice } from './slices/session/sessions-slice.ts'
import type { SpeculationLogSlice } from './slices/session/speculation-log-slice.ts'
import type { SpeculationSlice } from './slices/session/speculation-slice.ts'
import type { SuggestionLogSlice } from './slices/session/suggestion-log-slice.ts'
import type { SuggestionSlice } from './slices/session/suggestion-slice.ts'
import type { TurnFilesSlice } from './slices/session/turn-files-slice.ts'
import type { UndoSlice } from './slices/session/undo-slice.ts'
import type { SettingsSlice } from './slices/settings-slice.ts'
import type { StarterSlice } from './slices/starter-slice.ts'
import type { ToolServersSlice } from './slices/tool-servers-slice.ts'
import type { UiSlice } from './slices/ui-slice.ts'
import type { AskSlice } from './slices/work/ask-slice.ts'
import type { CheckSlice } from './slices/work/check-slice.ts'
import type { DetailTextsSlice } from './slices/work/detail-texts-slice.ts'
import type { DocumentsSlice } from './slices/work/documents-slice.ts'
import type { FindSlice } from './slices/work/find-slice.ts'
import type { HistorySlice } from './slices/work/history-slice.ts'
import type { IdeasSlice } from './slices/work/ideas-slice.ts'
import type { KeptSlice } from './slices/work/kept-slice.ts'
import type { LoreSlice } from './slices/work/lore-slice.ts'
import type { PreviewSlice } from './slices/work/preview-slice.ts'
import type { PublishingSlice } from './slices/work/publishing-slice.ts'
import type { RemovedSlice } from './slices/work/removed-slice.ts'
import type { RewriteSlice } from './slices/work/rewrite-slice.ts'
import type { RunsSlice } from './slices/work/runs-slice.ts'
import type { SummariesSlice } from './slices/work/summaries-slice.ts'
import type { TakesSlice } from './slices/work/takes-slice.ts'
import type { WordsSlice } from './slices/work/words-slice.ts'
import type { WorkSettingsSlice } from './slices/work/work-settings-slice.ts'
import type { WorkSlice } from './slices/work/work-slice.ts'
import type { WritingSlice } from './slices/work/writing-slice.ts'

/** Everything that the window shows, except the text itself, which CodeMirror holds. */
export type AppState = {
  connection: ConnectionSlice
  settings: SettingsSlice
  work: WorkSlice
  workSettings: WorkSettingsSlice
  detailTexts: DetailTextsSlice
  documents: DocumentsSlice
  kept: KeptSlice
  writing: WritingSlice
  models: ModelsSlice
  starter: StarterSlice
  catalogue: CatalogueSlice
  toolServers: ToolServersSlice
  runs: RunsSlice
  takes: TakesSlice
  ideas: IdeasSlice
  rewrite: RewriteSlice
  words: WordsSlice
  preview: PreviewSlice
  history: HistorySlice
  removed: RemovedSlice
  publishing: PublishingSlice
  find: FindSlice
  ask: AskSlice
  lore: LoreSlice
  summaries: SummariesSlice
  check: CheckSlice
  sessions: SessionsSlice
  drafts: DraftsSlice
  references: ReferencesSlice
  images: ImagesSlice
  suggestion: SuggestionSlice
  speculation: SpeculationSlice
  consent: ConsentSlice
  folders: FoldersSlice
  gates: GatesSlice
  audit: AuditSlice
  turnFiles: TurnFilesSlice
  undo: UndoSlice
  suggestionLog: SuggestionLogSlice
  speculationLog: SpeculationLogSlice
  ui: UiSlice
}
