import { CheckDialog } from './features/check/check-dialog.tsx'
import { RulesSection } from './features/consent/rules-section.tsx'
import { LoreDialog } from './features/context/lore-dialog.tsx'
import { LoreImportDialog } from './features/context/lore-import-dialog.tsx'
import { ResetDialog } from './features/course/course-panel.tsx'
import { RemovedFilesDialog } from './features/files/removed-files.tsx'
import { AskDialog } from './features/find/ask-dialog.tsx'
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
import { ApplyDialog } from './features/undo/apply-dialog.tsx'
import { LeftFilesDialog } from './features/undo/left-files-dialog.tsx'
import { UndoDialog } from './features/undo/undo-dialog.tsx'
import type { SettingsSection } from './state/slices/ui-slice.ts'
import { useApp } from './state/store-context.tsx'
import { useFocusOfGone, usePaneFocus } from './use-window.ts'

/** The one dialog that is open, if any. */
export function Dialogs() {
  useFocusOfGone()
  usePaneFocus()
  const dialog = useApp((state) => state.ui.dialog)
  const hasCompared = useApp((state) => state.history.compared !== null)
  if (dialog === null) return hasCompared ? <HistoryCompare /> : null
  switch (dialog.kind) {
    case 'picker':
      return <Picker key={dialog.purpose} purpose={dialog.purpose} />
    case 'settings':
      return <Settings section={dialog.section} />
    case 'palette':
      return <Palette />
    case 'terms':
      return <StarterTerms starterId={dialog.starterId} />
    case 'catalogue-terms':
      return <CatalogueTerms modelId={dialog.modelId} />
    case 'add-server':
      return <AddServerDialog />
    case 'model-path':
      return <ModelPathDialog droppedName={dialog.droppedName} />
    case 'removed-files':
      return <RemovedFilesDialog />
    case 'post':
      return <PostDialog path={dialog.path} />
    case 'export':
      return <ExportDialog path={dialog.path} />
    case 'lore-entry':
      return <LoreDialog path={dialog.path} proposedKeys={dialog.proposedKeys} />
    case 'find':
      return <FindDialog />
    case 'ask':
      return <AskDialog />
    case 'lore-import':
      return <LoreImportDialog />
    case 'check':
      return <CheckDialog path={dialog.path} />
    case 'mentions':
      return <MentionsDialog keys={dialog.keys} />
    case 'summaries':
      return <SummariesDialog />
    case 'compare-disk':
      return <CompareDisk path={dialog.path} />
    case 'rewrite':
      return <RewriteDialog />
    case 'ruby':
      return <RubyDialog />
    case 'writing':
      return <WritingDialog />
    case 'compare-take':
      return <CompareTake takeId={dialog.takeId} />
    case 'words':
      return <WordsDialog />
    case 'take-part':
      return <TakePart takeId={dialog.takeId} />
    case 'continue-where':
      return <ContinueWhere options={dialog} />
    case 'session-search':
      return <SessionSearch />
    case 'session-remove':
      return <RemoveSession sessionId={dialog.sessionId} />
    case 'session-reset':
      return <ResetDialog />
    case 'session-stats':
      return <SessionStatsDialog />
    case 'add-folder':
      return <AddFolder />
    case 'slash-help':
      return <SlashHelp />
    case 'undo-turn':
      return <UndoDialog turn={dialog.turn} />
    case 'apply-text':
      return <ApplyDialog text={dialog.text} path={dialog.path} />
    case 'left-files':
      return <LeftFilesDialog itemId={dialog.itemId} paths={dialog.paths} by={dialog.by} />
    case 'rules':
    case 'trust':
      return <Settings section="rules" />
  }
}

function Settings({ section }: { section: SettingsSection }) {
  return (
    <SettingsDialog
      section={section}
      models={<ModelSection />}
      suggestions={<SuggestionsSection />}
      rules={<RulesSection />}
      tools={<ToolsSection />}
    />
  )
}
