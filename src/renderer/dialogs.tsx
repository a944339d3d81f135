import type { ComponentType } from 'react'
import { CheckDialog } from './features/check/check-dialog.tsx'
import { RulesSection } from './features/consent/rules-section.tsx'
import { LoreDialog } from './features/context/lore-dialog.tsx'
import { LoreImportDialog } from './features/context/lore-import-dialog.tsx'
import { ResetDialog } from './features/course/course-panel.tsx'
import { RemovedFilesDialog } from './features/files/removed-files.tsx'
import { FindDialog } from './features/find/find-dialog.tsx'
import { MentionsDialog } from './features/find/mentions-dialog.tsx'
import { HistoryCompare } from './features/history/history-panel.tsx'
import { CompareDisk } from './features/manuscript/compare-disk.tsx'
import { ContinueWhere, RubyDialog } from './features/manuscript/manuscript-dialogs.tsx'
import { WritingDialog } from './features/manuscript/writing-dialog.tsx'
import {
  AddServerDialog,
  CatalogueTerms,
  ModelPathDialog,
  StarterTerms,
} from './features/models/model-dialogs.tsx'
import { ModelSection } from './features/models/model-section.tsx'
import { Palette } from './features/palette/palette.tsx'
import { Picker } from './features/picker/picker.tsx'
import { ExportDialog, PostDialog } from './features/publishing/publish-dialogs.tsx'
import { RewriteDialog } from './features/rewrite/rewrite-dialog.tsx'
import {
  AddFolder,
  RemoveSession,
  SessionStatsDialog,
  SlashHelp,
} from './features/sessions/session-dialogs.tsx'
import { SessionSearch } from './features/sessions/session-search.tsx'
import { SettingsDialog } from './features/settings/settings-dialog.tsx'
import { SuggestionsSection } from './features/suggestions/suggestions-section.tsx'
import { SummariesDialog } from './features/summaries/summaries-dialog.tsx'
import { CompareTake, TakePart, WordsDialog } from './features/takes/take-dialogs.tsx'
import { ToolsSection } from './features/tools/tools-section.tsx'
import { ApplyDialog, LeftFilesDialog } from './features/undo/apply-dialog.tsx'
import { UndoDialog } from './features/undo/undo-dialog.tsx'
import type { DialogView } from './state/slices/ui-slice.ts'
import { useApp } from './state/store-context.tsx'
import { useFocusOfGone, usePaneFocus } from './use-window.ts'

const views: { [K in DialogView['kind']]: ComponentType<Extract<DialogView, { kind: K }>> } = {
  picker: ({ purpose }) => <Picker key={purpose} purpose={purpose} />,
  settings: Settings,
  palette: Palette,
  terms: StarterTerms,
  'catalogue-terms': CatalogueTerms,
  'add-server': AddServerDialog,
  'model-path': ModelPathDialog,
  'removed-files': RemovedFilesDialog,
  post: PostDialog,
  export: ExportDialog,
  'lore-entry': LoreDialog,
  find: FindDialog,
  'lore-import': LoreImportDialog,
  check: CheckDialog,
  mentions: MentionsDialog,
  summaries: SummariesDialog,
  'compare-disk': CompareDisk,
  rewrite: RewriteDialog,
  ruby: RubyDialog,
  writing: WritingDialog,
  'compare-take': CompareTake,
  words: WordsDialog,
  'take-part': TakePart,
  'continue-where': (options) => <ContinueWhere options={options} />,
  'session-search': SessionSearch,
  'session-remove': RemoveSession,
  'session-reset': ResetDialog,
  'session-stats': SessionStatsDialog,
  'add-folder': AddFolder,
  'slash-help': SlashHelp,
  'undo-turn': UndoDialog,
  'apply-text': ApplyDialog,
  'left-files': LeftFilesDialog,
  rules: Settings,
  trust: Settings,
}

export function Dialogs() {
  useFocusOfGone()
  usePaneFocus()
  const dialog = useApp((state) => state.ui.dialog)
  const hasCompared = useApp((state) => state.history.compared !== null)
  if (dialog === null) return hasCompared ? <HistoryCompare /> : null
  const View = views[dialog.kind] as ComponentType<DialogView>
  return <View {...dialog} />
}

function Settings(dialog: Extract<DialogView, { kind: 'settings' | 'rules' | 'trust' }>) {
  return (
    <SettingsDialog
      section={dialog.kind === 'settings' ? dialog.section : 'rules'}
      models={<ModelSection />}
      suggestions={<SuggestionsSection />}
      rules={<RulesSection />}
      tools={<ToolsSection />}
    />
  )
}
