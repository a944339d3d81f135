import type { AuditSlice } from './slices/audit-slice.ts'
import type { CatalogueSlice } from './slices/catalogue-slice.ts'
import type { ConnectionSlice } from './slices/connection-slice.ts'
import type { ConsentSlice } from './slices/consent-slice.ts'
import type { DocumentsSlice } from './slices/documents-slice.ts'
import type { DraftsSlice } from './slices/drafts-slice.ts'
import type { FindSlice } from './slices/find-slice.ts'
import type { FoldersSlice } from './slices/folders-slice.ts'
import type { GatesSlice } from './slices/gates-slice.ts'
import type { HistorySlice } from './slices/history-slice.ts'
import type { IdeasSlice } from './slices/ideas-slice.ts'
import type { LoreSlice } from './slices/lore-slice.ts'
import type { ModelsSlice } from './slices/models-slice.ts'
import type { PreviewSlice } from './slices/preview-slice.ts'
import type { PublishingSlice } from './slices/publishing-slice.ts'
import type { ReferencesSlice } from './slices/references-slice.ts'
import type { RemovedSlice } from './slices/removed-slice.ts'
import type { RunsSlice } from './slices/runs-slice.ts'
import type { SessionsSlice } from './slices/sessions-slice.ts'
import type { SettingsSlice } from './slices/settings-slice.ts'
import type { SpeculationLogSlice } from './slices/speculation-log-slice.ts'
import type { SpeculationSlice } from './slices/speculation-slice.ts'
import type { StarterSlice } from './slices/starter-slice.ts'
import type { SuggestionLogSlice } from './slices/suggestion-log-slice.ts'
import type { SuggestionSlice } from './slices/suggestion-slice.ts'
import type { TakesSlice } from './slices/takes-slice.ts'
import type { UiSlice } from './slices/ui-slice.ts'
import type { UndoSlice } from './slices/undo-slice.ts'
import type { WorkSettingsSlice } from './slices/work-settings-slice.ts'
import type { WorkSlice } from './slices/work-slice.ts'
import type { WritingSlice } from './slices/writing-slice.ts'

/** Everything that the window shows, except the text itself, which CodeMirror holds. */
export type AppState = {
  connection: ConnectionSlice
  settings: SettingsSlice
  work: WorkSlice
  workSettings: WorkSettingsSlice
  documents: DocumentsSlice
  writing: WritingSlice
  models: ModelsSlice
  starter: StarterSlice
  catalogue: CatalogueSlice
  runs: RunsSlice
  takes: TakesSlice
  ideas: IdeasSlice
  preview: PreviewSlice
  history: HistorySlice
  removed: RemovedSlice
  publishing: PublishingSlice
  find: FindSlice
  lore: LoreSlice
  sessions: SessionsSlice
  drafts: DraftsSlice
  references: ReferencesSlice
  suggestion: SuggestionSlice
  speculation: SpeculationSlice
  consent: ConsentSlice
  folders: FoldersSlice
  gates: GatesSlice
  audit: AuditSlice
  undo: UndoSlice
  suggestionLog: SuggestionLogSlice
  speculationLog: SpeculationLogSlice
  ui: UiSlice
}
