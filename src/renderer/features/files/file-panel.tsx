import './file-panel.css'
import { useState } from 'react'
import { sitesInMenu } from '../../../shared/domain/work/publishing.ts'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import { displayName, filesOf, languageIn, nextFileName } from '../../state/reducers/work-reducer.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button, IconButton, PlainButton } from '../../ui/button.tsx'
import { NameInput } from '../../ui/fields/name-input.tsx'
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx'
import { type ChapterDrag, FileRow, useChapterDrag } from './file-row.tsx'
import { RemovedFilesLink } from './removed-files.tsx'

type Kind = 'manuscript' | 'material'

/** Left pane: the work's files in order, then other works. */
export function FilePanel() {
  const { t } = useWords()
  const { drag, area } = useChapterDrag()
  return (
    <nav className="file-panel" aria-label={t('files.label')} {...area}>
      <FileGroup kind="manuscript" drag={drag} />
      <FileGroup kind="material" drag={drag} />
      <UnreadableNames />
      <RemovedFilesLink />
      <RecentWorks />
    </nav>
  )
}

/** Names that the file system cannot examine: they are shown, and nothing can be done with them here. */
function UnreadableNames() {
  const { t } = useWords()
  const work = useApp((state) => state.work.current)
  const files = filesOf(work, 'unreadable')
  if (files.length === 0) return null
  return (
    <section aria-labelledby="files-unreadable">
      <div className="file-group">
        <h2 id="files-unreadable" className="label grow" title={t('files.unreadable')}>
          {t('files.unreadableGroup')}
        </h2>
      </div>
      <ul>
        {files.slice(0, 20).map(({ path }) => (
          <li key={path} className="file-row" title={`${path}\n${t('files.unreadable')}`}>
            <span className="plain-button file-open dim">
              <span className="grow clip">{path}</span>
            </span>
          </li>
        ))}
      </ul>
      {files.length > 20 && (
        <p className="file-empty small dim">{t('session.moreFiles', { count: files.length - 20 })}</p>
      )}
    </section>
  )
}

function FileGroup({ kind, drag }: { kind: Kind; drag: ChapterDrag }) {
  const { t } = useWords()
  const work = useApp((state) => state.work.current)
  const createFile = useApp((state) => state.work.createFile)
  const [isNaming, setIsNaming] = useState(false)
  if (work === null) return null
  const files: WorkFile[] = filesOf(work, kind)
  const suggestion = nextFileName(work, kind, t('files.newMaterial'))

  return (
    <section aria-labelledby={`files-${kind}`}>
      <div className="file-group">
        <h2 id={`files-${kind}`} className="label grow">
          {t(`files.${kind}`)}
        </h2>
        {kind === 'manuscript' && <WorkMenu />}
        <IconButton icon="add" label={t(`files.add.${kind}`)} onClick={() => setIsNaming(true)} />
      </div>
      <ul ref={kind === 'manuscript' ? drag.list : undefined}>
        {files.map((file) => (
          <FileRow key={file.path} file={file} drag={drag} />
        ))}
        {isNaming && (
          <li>
            <NameInput
              label={t('files.newName')}
              initial={displayName(suggestion)}
              onCancel={() => setIsNaming(false)}
              onCommit={(name) => {
                setIsNaming(false)
                const folder = suggestion.slice(0, suggestion.lastIndexOf('/') + 1)
                void createFile(`${folder}${/\.\w{1,8}$/.test(name) ? name : `${name}.txt`}`, kind)
              }}
            />
          </li>
        )}
      </ul>
      {files.length === 0 && !isNaming && <p className="file-empty small dim">{t(`files.empty.${kind}`)}</p>}
    </section>
  )
}

function RecentWorks() {
  const { t } = useWords()
  const recent = useApp((state) => state.work.recent)
  const root = useApp((state) => state.work.current?.root)
  const open = useApp((state) => state.work.open)
  const openDialog = useApp((state) => state.ui.open)
  const others = recent.filter((work) => work.root !== root).slice(0, 6)
  return (
    <section aria-labelledby="files-recent">
      <div className="file-group">
        <h2 id="files-recent" className="label grow">
          {t('files.recent')}
        </h2>
      </div>
      <ul>
        {others.map((work) => (
          <li key={work.root} className="file-row">
            <PlainButton className="file-open" title={work.root} onClick={() => void open(work.root)}>
              <span className="grow clip dim">{work.name}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
      <Button
        variant="quiet"
        icon="folder"
        className="file-open-folder"
        onClick={() => openDialog({ kind: 'picker', purpose: 'open-work' })}
      >
        {t('command.workOpen')}
      </Button>
    </section>
  )
}

/** The menu of actions on all chapters together. */
function WorkMenu() {
  const { t } = useWords()
  const store = useAppStore()
  const open = useApp((state) => state.ui.open)
  const isEmpty = useApp((state) => filesOf(state.work.current, 'manuscript').length === 0)
  const language = useApp((state) => languageIn(state.work.current, null))
  const undoCount = useApp((state) => state.work.undoCount)
  const item = (id: string, label: MessageKey, onSelect: () => void): MenuItem => ({
    id,
    label: t(label),
    isDisabled: isEmpty,
    onSelect,
  })
  const items: MenuItem[] = [
    { ...item('find', 'command.workFind', () => open({ kind: 'find' })), keys: ['Ctrl', 'Shift', 'H'] },
    item('ask', 'command.workAsk', () => store.getState().ask.show()),
    item('summaries', 'command.summaries', () => open({ kind: 'summaries' })),
    ...sitesInMenu(language).map((site) =>
      item(site, `publish.copyWork.${site}`, () => void store.getState().publishing.copyFor(null, site)),
    ),
    item('post', 'publish.options', () => open({ kind: 'post', path: null })),
    item('export', 'command.publishExport', () => open({ kind: 'export', path: null })),
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
