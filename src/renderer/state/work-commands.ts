import { type Site, sites, sitesInMenu } from '../../shared/domain/work/publishing.ts'
import { PageChoice } from '../../shared/domain/work/work-file.ts'
import type { AppState } from './app-state.ts'
import type { Command } from './commands/command.ts'
import { chosenPage, filesOf, languageIn, nextFileName } from './reducers/work-reducer.ts'

const hasWork = (state: AppState) => state.work.current !== null
const hasManuscript = (state: AppState) => filesOf(state.work.current, 'manuscript').length > 0
const openChapter = ({ work, documents, ui }: AppState): string | null => {
  const isChapter = filesOf(work.current, 'manuscript').some(({ path }) => path === documents.activePath)
  return isChapter && ui.view === 'manuscript' ? documents.activePath : null
}

const copying: Command[] = sites.map((site: Site) => ({
  id: `publish.copy.${site}`,
  title: `command.publishCopy.${site}` as const,
  isEnabled: (state) => {
    const path = openChapter(state)
    return path !== null && sitesInMenu(languageIn(state.work.current, path)).includes(site)
  },
  run: (store) => {
    const state = store.getState()
    void state.publishing.copyFor(openChapter(state), site)
  },
}))

const pageTitles = {
  settings: 'command.pageSettings',
  ja: 'command.pageJa',
  en: 'command.pageEn',
} as const
const paging: Command[] = (['settings', ...PageChoice.options] as const).map((choice) => ({
  id: `editor.page.${choice}`,
  title: pageTitles[choice],
  isEnabled: ({ work, documents, ui }) =>
    ui.view === 'manuscript' &&
    documents.activePath !== null &&
    (chosenPage(work.current, documents.activePath) ?? 'settings') !== choice,
  run: (store) => {
    const { work, documents } = store.getState()
    const path = documents.activePath
    if (path !== null) void work.setPage(path, choice === 'settings' ? null : choice)
  },
}))

/** Chapters, and the work as others get it. */
export const workCommands: readonly Command[] = [
  {
    id: 'chapter.create',
    title: 'command.chapterCreate',
    isEnabled: hasWork,
    run: (store) => {
      const { work } = store.getState()
      if (work.current) void work.createFile(nextFileName(work.current, 'manuscript', ''))
    },
  },
  {
    id: 'chapter.undo',
    title: 'command.chapterUndo',
    isEnabled: (state) => hasWork(state) && state.work.undoCount > 0,
    run: (store) => void store.getState().work.undo(),
  },
  {
    id: 'work.find',
    title: 'command.workFind',
    keys: ['Ctrl', 'Shift', 'H'],
    isEnabled: hasManuscript,
    run: (store) => store.getState().ui.open({ kind: 'find' }),
  },
  {
    id: 'work.ask',
    title: 'command.workAsk',
    isEnabled: hasManuscript,
    run: (store) => store.getState().ui.open({ kind: 'ask' }),
  },
  {
    id: 'work.summaries',
    title: 'command.summaries',
    isEnabled: hasManuscript,
    run: (store) => store.getState().ui.open({ kind: 'summaries' }),
  },
  {
    id: 'work.mentions',
    title: 'command.mentions',
    isEnabled: hasManuscript,
    run: (store) => store.getState().lore.openMentions(),
  },
  {
    id: 'work.check',
    title: 'command.check',
    isEnabled: (state) => openChapter(state) !== null,
    run: (store) => {
      const state = store.getState()
      const path = openChapter(state)
      if (path !== null) state.ui.open({ kind: 'check', path })
    },
  },
  {
    id: 'lore.import',
    title: 'command.loreImport',
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'picker', purpose: 'import-lore' }),
  },
  {
    id: 'lore.export',
    title: 'command.loreExport',
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'picker', purpose: 'export-lore' }),
  },
  {
    id: 'work.undoReplace',
    title: 'command.workUndoReplace',
    isEnabled: ({ find, work }) =>
      find.lastReplace !== null && find.lastReplace.workId === work.current?.workId,
    run: (store) => void store.getState().find.undo(),
  },
  ...paging,
  ...copying,
  {
    id: 'publish.post',
    title: 'command.publishPost',
    isEnabled: (state) => openChapter(state) !== null,
    run: (store) => {
      const state = store.getState()
      state.ui.open({ kind: 'post', path: openChapter(state) })
    },
  },
  {
    id: 'publish.postWork',
    title: 'command.publishPostWork',
    isEnabled: hasManuscript,
    run: (store) => store.getState().ui.open({ kind: 'post', path: null }),
  },
  {
    id: 'publish.export',
    title: 'command.publishExport',
    isEnabled: hasManuscript,
    run: (store) => store.getState().ui.open({ kind: 'export', path: null }),
  },
  {
    id: 'publish.exportChapter',
    title: 'command.publishExportChapter',
    isEnabled: (state) => openChapter(state) !== null,
    run: (store) => {
      const state = store.getState()
      state.ui.open({ kind: 'export', path: openChapter(state) })
    },
  },
  {
    id: 'publish.import',
    title: 'command.publishImport',
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'picker', purpose: 'import-text' }),
  },
]
