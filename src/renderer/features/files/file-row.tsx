import { type DragEvent, type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { sitesInMenu } from '../../../shared/domain/work/publishing.ts'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import { displayName, languageIn } from '../../state/reducers/work-reducer.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { IconButton, PlainButton } from '../../ui/button.tsx'
import { NameInput } from '../../ui/fields/name-input.tsx'
import { useKeptFocus } from '../../ui/kept-focus.ts'
import { ContextMenu, Menu, type MenuItem } from '../../ui/overlays/menu.tsx'

/** Longest wait until a renamed or restored file is in the list. Units: ms. */
const longestWaitMs = 2_000

/** One file: a click or Enter opens; F2, Delete, Alt+↑/↓ and Ctrl+Z act on the focused one. Chapters are dragged. */
export function FileRow({ file, drag }: { file: WorkFile; drag: ChapterDrag }) {
  const { t, language } = useWords()
  const store = useAppStore()
  const isActive = useApp((state) => state.documents.activePath === file.path)
  const hasConflict = useApp((state) => state.documents.byPath[file.path]?.conflict != null)
  const textLanguage = useApp((state) => languageIn(state.work.current, file.path))
  const [isRenaming, setIsRenaming] = useState(false)
  const row = useRef<HTMLButtonElement>(null)
  const item = useRef<HTMLLIElement>(null)
  useKeptFocus(item)
  const isManuscript = file.kind === 'manuscript'
  const name = displayName(file.path)
  // As the status bar counts the same text.
  const unit = (file.language ?? language) === 'en' ? 'words' : 'characters'
  const count = file[unit]

  const act = {
    open: () => {
      const { documents, ui } = store.getState()
      documents.goTo(file.path)
      if (ui.isNarrow) ui.togglePane('files', false)
    },
    rename: () => setIsRenaming(true),
    remove: () => void store.getState().work.removeFile(file.path),
    move: (by: -1 | 1) =>
      void store
        .getState()
        .work.move(file.path, by)
        .then(() => row.current?.focus()),
  }

  const rename = (next: string) => {
    const path = renamedPath(file.path, next)
    const list = item.current?.closest('nav')
    void store
      .getState()
      .work.renameFile(file.path, path)
      // Under its new name it is another row.
      .then((isRenamed) => isRenamed && list && focusRow(list, (row) => row.title === path))
  }

  /** Focuses the row that undo brings back: otherwise the next key would act on its neighbour. */
  const undo = () => {
    const list = item.current?.closest('nav')
    const known = new Set(
      [...(list?.querySelectorAll<HTMLElement>('.file-open') ?? [])].map((row) => row.title),
    )
    void store
      .getState()
      .work.undo()
      .then(() => list && focusRow(list, (row) => !known.has(row.title)))
  }

  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null
    if (step !== null && event.altKey && isManuscript) act.move(step)
    else if (step !== null && !event.altKey) focusNeighbour(event.currentTarget, step)
    else if (event.key === 'F2') act.rename()
    else if (event.key === 'Delete') act.remove()
    else if (event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey) undo()
    else return
    event.preventDefault()
  }

  const isDropPlace = isManuscript && drag.place?.path === file.path
  const classes = [
    'file-row',
    isActive && 'file-row-active',
    isManuscript && drag.path === file.path && 'file-row-dragged',
    isDropPlace && `file-row-drop-${drag.place?.side}`,
  ]
  const openDialog = (kind: 'check' | 'post' | 'export') =>
    store.getState().ui.open({ kind, path: file.path })
  const items: MenuItem[] = [
    { id: 'rename', label: t('files.rename'), keys: ['F2'], onSelect: act.rename },
    ...(isManuscript
      ? [
          { id: 'up', label: t('files.moveUp'), keys: ['Alt', '↑'], onSelect: () => act.move(-1) },
          { id: 'down', label: t('files.moveDown'), keys: ['Alt', '↓'], onSelect: () => act.move(1) },
          { id: 'check', label: t('command.check'), onSelect: () => openDialog('check') },
          ...sitesInMenu(textLanguage).map((site) => ({
            id: site,
            label: t(`command.publishCopy.${site}`),
            onSelect: () => void store.getState().publishing.copyFor(file.path, site),
          })),
          { id: 'post', label: t('publish.options'), onSelect: () => openDialog('post') },
          { id: 'export', label: t('command.publishExportChapter'), onSelect: () => openDialog('export') },
        ]
      : []),
    {
      id: 'kind',
      label: t(isManuscript ? 'files.makeMaterial' : 'files.makeManuscript'),
      onSelect: () => void store.getState().work.setKind(file.path, isManuscript ? 'material' : 'manuscript'),
    },
    { id: 'remove', label: t('files.remove'), keys: ['Delete'], isDanger: true, onSelect: act.remove },
  ]

  if (isRenaming) {
    return (
      <ContextMenu items={items} isOff>
        <li ref={item}>
          <NameInput
            label={t('files.rename')}
            initial={name}
            onCancel={() => setIsRenaming(false)}
            onCommit={(next) => {
              setIsRenaming(false)
              if (next !== name) rename(next)
            }}
          />
        </li>
      </ContextMenu>
    )
  }
  return (
    <ContextMenu items={items}>
      <li
        ref={item}
        className={classes.filter(Boolean).join(' ')}
        draggable={isManuscript}
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move'
          event.dataTransfer.setData('text/plain', name)
          drag.begin(file.path)
        }}
        onDragEnd={drag.end}
      >
        <PlainButton
          ref={row}
          className="file-open"
          title={file.path}
          aria-current={isActive ? 'page' : undefined}
          onClick={act.open}
          onKeyDown={onKeyDown}
        >
          <span className="grow clip">{name}</span>
          {hasConflict && <span className="file-conflict">{t('files.conflict')}</span>}
          {isManuscript && count !== undefined && (
            <span className="file-count">
              {new Intl.NumberFormat(language).format(count)}
              <span className="visually-hidden">
                {t(unit === 'words' ? 'files.wordUnit' : 'files.characterUnit')}
              </span>
            </span>
          )}
        </PlainButton>
        <Menu
          trigger={<IconButton icon="more" className="file-more" label={t('files.more', { name })} />}
          items={items}
        />
      </li>
    </ContextMenu>
  )
}

/** Returns the path with a new name: keeps the folder, and the ending where the new name has none. */
function renamedPath(path: string, name: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const ending = path.slice(folder.length + displayName(path).length)
  return `${folder}${name}${/\.(txt|text|md|markdown)$/i.test(name) ? '' : ending}`
}

/** Focuses a file's row, now or when it comes, where the focus is still in the list or nowhere. */
function focusRow(list: Element, isWanted: (row: HTMLElement) => boolean): void {
  const find = () => [...list.querySelectorAll<HTMLElement>('.file-open')].find(isWanted)
  const focus = (row: HTMLElement) => {
    const { activeElement, body } = document
    if (activeElement === body || list.contains(activeElement)) row.focus()
  }
  const there = find()
  if (there !== undefined) {
    focus(there)
    return
  }
  const changes = new MutationObserver(() => {
    const row = find()
    if (row === undefined) return
    changes.disconnect()
    focus(row)
  })
  changes.observe(list, { childList: true, subtree: true })
  setTimeout(() => changes.disconnect(), longestWaitMs)
}

function focusNeighbour(row: HTMLElement, step: number): void {
  const rows = [...(row.closest('nav')?.querySelectorAll<HTMLElement>('.file-open') ?? [])]
  rows[rows.indexOf(row) + step]?.focus()
}

/** The chapter beside which the dragged one would go, and the side. */
type DropPlace = { path: string; side: 'before' | 'after' }

/** The dragging of chapters, for their list and each row of it. Shape: `path` is the dragged one's. */
export type ChapterDrag = {
  path: string | null
  place: DropPlace | null
  list: RefObject<HTMLUListElement | null>
  begin(path: string): void
  end(): void
}

type DropArea = Record<'onDragOver' | 'onDragLeave' | 'onDrop', (event: DragEvent<HTMLElement>) => void>

/** Lets the user drag chapters to another place. A drop anywhere in the panel counts; below all rows is the end. */
export function useChapterDrag(): { drag: ChapterDrag; area: DropArea } {
  const store = useAppStore()
  const list = useRef<HTMLUListElement>(null)
  const [path, setPath] = useState<string | null>(null)
  const [place, setPlace] = useState<DropPlace | null>(null)
  const end = () => {
    setPath(null)
    setPlace(null)
  }
  return {
    drag: { path, place, list, begin: setPath, end },
    area: {
      onDragOver(event) {
        if (path === null) return
        event.preventDefault()
        const next = placeAt(list.current, event.clientY)
        if (next?.path !== place?.path || next?.side !== place?.side) setPlace(next)
      },
      onDragLeave({ currentTarget, relatedTarget }) {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setPlace(null)
      },
      onDrop(event) {
        if (path === null) return
        event.preventDefault()
        const to = placeAt(list.current, event.clientY)
        if (to !== null && to.path !== path) void store.getState().work.moveBeside(path, to.path, to.side)
        end()
      },
    },
  }
}

/** Returns the place before the first row whose middle is below the pointer, else behind the last row. */
function placeAt(list: HTMLElement | null, y: number): DropPlace | null {
  const rows = [...(list?.querySelectorAll<HTMLElement>('.file-open') ?? [])]
  const next = rows.find((row) => {
    const { top, height } = row.getBoundingClientRect()
    return y < top + height / 2
  })
  const row = next ?? rows.at(-1)
  return row === undefined ? null : { path: row.title, side: next === undefined ? 'after' : 'before' }
}
