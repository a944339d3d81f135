import { sitesInMenu } from '../../../shared/domain/work/publishing.ts'
import { filesOf, languageIn } from '../../state/reducers/work-reducer.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx'

/** The menu of actions on all chapters together. */
export function WorkMenu() {
  const { t } = useWords()
  const store = useAppStore()
  const open = useApp((state) => state.ui.open)
  const isEmpty = useApp((state) => filesOf(state.work.current, 'manuscript').length === 0)
  const language = useApp((state) => languageIn(state.work.current, null))
  const undoCount = useApp((state) => state.work.undoCount)
  const items: MenuItem[] = [
    {
      id: 'find',
      label: t('command.workFind'),
      keys: ['Ctrl', 'Shift', 'H'],
      isDisabled: isEmpty,
      onSelect: () => open({ kind: 'find' }),
    },
    {
      id: 'ask',
      label: t('command.workAsk'),
      isDisabled: isEmpty,
      onSelect: () => open({ kind: 'ask' }),
    },
    {
      id: 'summaries',
      label: t('command.summaries'),
      isDisabled: isEmpty,
      onSelect: () => open({ kind: 'summaries' }),
    },
    ...sitesInMenu(language).map((site) => ({
      id: site,
      label: t(`publish.copyWork.${site}`),
      isDisabled: isEmpty,
      onSelect: () => void store.getState().publishing.copyFor(null, site),
    })),
    {
      id: 'post',
      label: t('publish.options'),
      isDisabled: isEmpty,
      onSelect: () => open({ kind: 'post', path: null }),
    },
    {
      id: 'export',
      label: t('command.publishExport'),
      isDisabled: isEmpty,
      onSelect: () => open({ kind: 'export', path: null }),
    },
    {
      id: 'import',
      label: t('command.publishImport'),
      onSelect: () => open({ kind: 'picker', purpose: 'import-text' }),
    },
    {
      id: 'undo',
      label: t('command.chapterUndo'),
      keys: ['Ctrl', 'Z'],
      isDisabled: undoCount === 0,
      onSelect: () => void store.getState().work.undo(),
    },
  ]
  return <Menu trigger={<IconButton icon="more" label={t('files.workMenu')} />} items={items} />
}
