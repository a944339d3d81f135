import { type Site, sites, sitesInMenu } from '../../../shared/domain/work/publishing.ts'
import { PageChoice } from '../../../shared/domain/work/work-file.ts'
import type { AppState } from '../app-state.ts'
import { chosenPage, filesOf, languageIn, nextFileName } from '../reducers/work-reducer.ts'
import { action, type Command, hasWork, opening, picker } from './command.ts'

const hasManuscript = (state: AppState) => filesOf(state.work.current, 'manuscript').length > 0
const openChapter = ({ work, documents, ui }: AppState): string | null => {
  const isChapter = filesOf(work.current, 'manuscript').some(({ path }) => path === documents.activePath)
  return isChapter && ui.view === 'manuscript' ? documents.activePath : null
}
const hasChapter = (state: AppState) => openChapter(state) !== null

const copying = sites.map((site: Site) =>
  action(
    `publish.copy.${site}`,
    `command.publishCopy.${site}`,
    (state) => {
      const path = openChapter(state)
      return path !== null && sitesInMenu(languageIn(state.work.current, path)).includes(site)
    },
    (state) => state.publishing.copyFor(openChapter(state), site),
  ),
)

const pageTitles = { settings: 'command.pageSettings', ja: 'command.pageJa', en: 'command.pageEn' } as const
const paging = (['settings', ...PageChoice.options] as const).map((choice) =>
  action(
    `editor.page.${choice}`,
    pageTitles[choice],
    ({ work, documents, ui }) =>
      ui.view === 'manuscript' &&
      documents.activePath !== null &&
      (chosenPage(work.current, documents.activePath) ?? 'settings') !== choice,
    ({ work, documents: { activePath: path } }) =>
      path !== null && work.setPage(path, choice === 'settings' ? null : choice),
  ),
)

const openExport = (state: AppState) => state.ui.open({ kind: 'export', path: openChapter(state) })
const openPost = (state: AppState) => state.ui.open({ kind: 'post', path: openChapter(state) })

/** Commands of chapters, and of publishing. */
export const workCommands: readonly Command[] = [
  action(
    'chapter.create',
    'command.chapterCreate',
    hasWork,
    ({ work }) => work.current && work.createFile(nextFileName(work.current, 'manuscript', '')),
  ),
  action(
    'chapter.undo',
    'command.chapterUndo',
    (state) => hasWork(state) && state.work.undoCount > 0,
    ({ work }) => work.undo(),
  ),
  opening('work.find', 'command.workFind', hasManuscript, { kind: 'find' }, 'Ctrl Shift H'),
  action('work.ask', 'command.workAsk', hasManuscript, ({ ask }) => ask.show()),
  opening('work.summaries', 'command.summaries', hasManuscript, { kind: 'summaries' }),
  action('work.mentions', 'command.mentions', hasManuscript, ({ lore }) => lore.openMentions()),
  action('work.check', 'command.check', hasChapter, (state) => {
    const path = openChapter(state)
    if (path !== null) state.ui.open({ kind: 'check', path })
  }),
  opening('lore.import', 'command.loreImport', hasWork, picker('import-lore')),
  opening('lore.export', 'command.loreExport', hasWork, picker('export-lore')),
  action(
    'work.undoReplace',
    'command.workUndoReplace',
    ({ find, work }) => find.lastReplace !== null && find.lastReplace.workId === work.current?.workId,
    ({ find }) => find.undo(),
  ),
  ...paging,
  ...copying,
  action('publish.post', 'command.publishPost', hasChapter, openPost),
  opening('publish.postWork', 'command.publishPostWork', hasManuscript, { kind: 'post', path: null }),
  opening('publish.export', 'command.publishExport', hasManuscript, { kind: 'export', path: null }),
  action('publish.exportChapter', 'command.publishExportChapter', hasChapter, openExport),
  opening('publish.import', 'command.publishImport', hasWork, picker('import-text')),
]
