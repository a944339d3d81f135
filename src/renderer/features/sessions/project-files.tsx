import { useMemo, useState } from 'react'
import { fileTree, type TreeEntry } from '../../state/file-tree.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Icon } from '../../ui/icon.tsx'

/** More than these in one folder are found by their name in the palette. */
const shownFiles = 300

/** What lies in the folder, as a tree; a press opens a file beside the sessions. */
export function ProjectFiles() {
  const { t, language } = useWords()
  const files = useApp((state) => state.work.current?.files)
  const tree = useMemo(
    () =>
      fileTree(
        (files ?? [])
          .filter(({ kind }) => kind !== 'folder' && kind !== 'unreadable')
          .map(({ path }) => path),
        language,
      ),
    [files, language],
  )
  if (!files) return null
  const unreadable = files.filter(({ kind }) => kind === 'unreadable')
  return (
    <nav className="session-nav" aria-label={t('files.label')}>
      <div className="file-group">
        <h2 className="label grow">{t('files.label')}</h2>
      </div>
      <Branch entries={tree} depth={0} />
      {unreadable.length > 0 && (
        <ul>
          {unreadable.slice(0, shownFiles).map(({ path }) => (
            <li key={path} className="file-row" title={t('files.unreadable')}>
              <span className="file-open dim">
                <span className="grow clip">{path}</span>
                <span className="file-conflict">{t('files.unreadableShort')}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </nav>
  )
}

/** Folders of the first level begin open where they are few. */
const openFolders = 3

function Branch({ entries, depth }: { entries: readonly TreeEntry[]; depth: number }) {
  const { t } = useWords()
  const store = useAppStore()
  const folders = entries.filter(({ below }) => below !== null).length
  return (
    <ul>
      {entries.slice(0, shownFiles).map((entry) =>
        entry.below === null ? (
          <li key={entry.path} className="file-row">
            <button
              type="button"
              className="file-open"
              style={{ paddingLeft: 8 + depth * 14 + 18 }}
              title={entry.path}
              onClick={() => store.getState().documents.goTo(entry.path)}
            >
              <span className="grow clip">{entry.name}</span>
            </button>
          </li>
        ) : (
          <Folder
            key={entry.path}
            entry={entry}
            below={entry.below}
            depth={depth}
            isOpenAtFirst={depth === 0 && folders <= openFolders}
          />
        ),
      )}
      {entries.length > shownFiles && (
        <li className="session-none">{t('session.moreFiles', { count: entries.length - shownFiles })}</li>
      )}
    </ul>
  )
}

type FolderProps = { entry: TreeEntry; below: TreeEntry[]; depth: number; isOpenAtFirst: boolean }

function Folder({ entry, below, depth, isOpenAtFirst }: FolderProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  return (
    <li>
      <div className="file-row">
        <button
          type="button"
          className="file-open"
          style={{ paddingLeft: 8 + depth * 14 }}
          title={entry.path}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'down' : 'chevron'} size={10} />
          <span className="grow clip">{entry.name}</span>
        </button>
      </div>
      {isOpen && <Branch entries={below} depth={depth + 1} />}
    </li>
  )
}
