import './file-panel.css'
import { useState } from 'react'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import { displayName, filesOf, nextFileName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { IconButton } from '../../ui/button.tsx'
import { NameInput } from '../../ui/fields/name-input.tsx'
import { type ChapterDrag, useChapterDrag } from './chapter-drag.ts'
import { FileRow } from './file-row.tsx'
import { RecentWorks } from './recent-works.tsx'
import { RemovedFilesLink } from './removed-files.tsx'
import { WorkMenu } from './work-menu.tsx'

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
            <span className="file-open dim">
              <span className="grow clip">{path}</span>
            </span>
          </li>
        ))}
      </ul>
      {files.length > 20 && (
        <p className="file-empty">{t('session.moreFiles', { count: files.length - 20 })}</p>
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
      {files.length === 0 && !isNaming && <p className="file-empty">{t(`files.empty.${kind}`)}</p>}
    </section>
  )
}
