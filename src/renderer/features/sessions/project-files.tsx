import { useMemo, useState } from 'react'
import { fileTree, type TreeEntry } from '../../state/file-tree.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { IconButton, PlainButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Limit of files that are shown in one folder; the palette finds the rest by name. */
const shownFiles = 300

/** Shows the folder as a tree; a click opens a file beside the sessions. */
export function ProjectFiles() {
  const { t, language } = useWords()
  const files = useApp((state) => state.work.current?.files)
  const [showsIgnored, setShowsIgnored] = useState(false)
  const ignored = useMemo(
    () => new Set((files ?? []).filter(({ isIgnored }) => isIgnored).map(({ path }) => path)),
    [files],
  )
  const tree = useMemo(
    () =>
      fileTree(
        (files ?? [])
          .filter(({ kind }) => kind !== 'folder' && kind !== 'unreadable')
          .filter(({ path }) => showsIgnored || !ignored.has(path))
          .map(({ path }) => path),
        language,
      ),
    [files, ignored, showsIgnored, language],
  )
  if (!files) return null
  const unreadable = files.filter(({ kind }) => kind === 'unreadable')
  return (
    <nav className="session-nav" aria-label={t('files.label')}>
      <div className="file-group">
        <h2 className="label grow">{t('files.label')}</h2>
        {ignored.size > 0 && (
          <IconButton
            icon="filter"
            label={t('files.showIgnored')}
            aria-pressed={showsIgnored}
            onClick={() => setShowsIgnored(!showsIgnored)}
          />
        )}
      </div>
      <Branch entries={tree} depth={0} ignored={ignored} />
      {unreadable.length > 0 && (
        <ul>
          {unreadable.slice(0, shownFiles).map(({ path }) => (
            <li key={path} className="file-row" title={t('files.unreadable')}>
              <span className="plain-button file-open dim">
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

/** Folders of the first level begin open where there are at most this many. */
const openFolders = 3

type BranchProps = { entries: readonly TreeEntry[]; depth: number; ignored: ReadonlySet<string> }

function Branch({ entries, depth, ignored }: BranchProps) {
  const { t } = useWords()
  const store = useAppStore()
  const folders = entries.filter(({ below }) => below !== null).length
  return (
    <ul>
      {entries.slice(0, shownFiles).map((entry) =>
        entry.below === null ? (
          <li key={entry.path} className="file-row">
            <PlainButton
              className={openClass(ignored.has(entry.path))}
              style={{ paddingLeft: 8 + depth * 14 + 18 }}
              title={entry.path}
              onClick={() => store.getState().documents.goTo(entry.path)}
            >
              <span className="grow clip">{entry.name}</span>
            </PlainButton>
          </li>
        ) : (
          <Folder
            key={entry.path}
            entry={entry}
            below={entry.below}
            depth={depth}
            ignored={ignored}
            isOpenAtFirst={depth === 0 && folders <= openFolders && !ignored.has(entry.path)}
          />
        ),
      )}
      {entries.length > shownFiles && (
        <li className="session-none small dim">
          {t('session.moreFiles', { count: entries.length - shownFiles })}
        </li>
      )}
    </ul>
  )
}

type FolderProps = Omit<BranchProps, 'entries'> & {
  entry: TreeEntry
  below: TreeEntry[]
  isOpenAtFirst: boolean
}

function Folder({ entry, below, depth, ignored, isOpenAtFirst }: FolderProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  return (
    <li>
      <div className="file-row">
        <PlainButton
          className={openClass(ignored.has(entry.path))}
          style={{ paddingLeft: 8 + depth * 14 }}
          title={entry.path}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'down' : 'chevron'} size={10} />
          <span className="grow clip">{entry.name}</span>
        </PlainButton>
      </div>
      {isOpen && <Branch entries={below} depth={depth + 1} ignored={ignored} />}
    </li>
  )
}

function openClass(isIgnored: boolean): string {
  return isIgnored ? 'file-open file-ignored' : 'file-open'
}
