import { HistoryCompare } from './features/history/history-panel.tsx'
import { CompareDisk } from './features/manuscript/compare-disk.tsx'
import { ModelSection } from './features/models/model-section.tsx'
import { TermsDialog } from './features/models/starter-list.tsx'
import { Palette } from './features/palette/palette.tsx'
import { Picker } from './features/picker/picker.tsx'
import { SettingsDialog } from './features/settings/settings-dialog.tsx'
import { CompareTake } from './features/takes/compare-take.tsx'
import { useApp } from './state/store-context.tsx'

/** The one dialog that is open, if any. */
export function Dialogs() {
  const dialog = useApp((state) => state.ui.dialog)
  const hasCompared = useApp((state) => state.history.compared !== null)
  if (dialog === null) return hasCompared ? <HistoryCompare /> : null
  switch (dialog.kind) {
    case 'picker':
      return <Picker key={dialog.purpose} purpose={dialog.purpose} />
    case 'settings':
      return <SettingsDialog section={dialog.section} models={<ModelSection />} />
    case 'palette':
      return <Palette />
    case 'terms':
      return <TermsDialog starterId={dialog.starterId} />
    case 'compare-disk':
      return <CompareDisk path={dialog.path} />
    case 'compare-take':
      return <CompareTake takeId={dialog.takeId} />
    default:
      return null
  }
}
