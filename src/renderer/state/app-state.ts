import type { AuditSlice } from './audit-slice.ts'
import type { ConnectionSlice } from './connection-slice.ts'
import type { ConsentSlice } from './consent-slice.ts'
import type { DocumentsSlice } from './documents-slice.ts'
import type { DraftsSlice } from './drafts-slice.ts'
import type { FindSlice } from './find-slice.ts'
import type { FoldersSlice } from './folders-slice.ts'
import type { GatesSlice } from './gates-slice.ts'
import type { HistorySlice } from './history-slice.ts'
import type { IdeasSlice } from './ideas-slice.ts'
import type { ModelsSlice } from './models-slice.ts'
import type { PreviewSlice } from './preview-slice.ts'
import type { PublishingSlice } from './publishing-slice.ts'
import type { ReferencesSlice } from './references-slice.ts'
import type { RemovedSlice } from './removed-slice.ts'
import type { RunsSlice } from './runs-slice.ts'
import type { SessionsSlice } from './sessions-slice.ts'
import type { SettingsSlice } from './settings-slice.ts'
import type { SpeculationLogSlice } from './speculation-log-slice.ts'
import type { SpeculationSlice } from './speculation-slice.ts'
import type { StarterSlice } from './starter-slice.ts'
import type { SuggestionLogSlice } from './suggestion-log-slice.ts'
import type { SuggestionSlice } from './suggestion-slice.ts'
import type { TakesSlice } from './takes-slice.ts'
import type { UiSlice } from './ui-slice.ts'
import type { UndoSlice } from './undo-slice.ts'
import type { WorkSettingsSlice } from './work-settings-slice.ts'
import type { WorkSlice } from './work-slice.ts'
import type { WritingSlice } from './writing-slice.ts'

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
  runs: RunsSlice
  takes: TakesSlice
  ideas: IdeasSlice
  preview: PreviewSlice
  history: HistorySlice
  removed: RemovedSlice
  publishing: PublishingSlice
  find: FindSlice
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
