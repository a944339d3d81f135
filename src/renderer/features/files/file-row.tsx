import { type KeyboardEvent, useRef, useState } from 'react'
import type { WorkFile } from '../../../shared/domain/work-file.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { displayName } from '../../state/work-reducer.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { NameInput } from '../../ui/name-input.tsx'

/** One file: opens on a click or Enter; F2, Delete and Alt+↑/↓ act on the focused one. */
export function FileRow({ file }: { file: WorkFile }) {
  const { t, language } = useWords()
  const store = useAppStore()
  const isActive = useApp((state) => state.documents.activePath === file.path)
  const hasConflict = useApp((state) => state.documents.byPath[file.path]?.conflict != null)
  const [isRenaming, setIsRenaming] = useState(false)
  const row = useRef<HTMLButtonElement>(null)
  const isManuscript = file.kind === 'manuscript'
  const name = displayName(file.path)

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

  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null
    if (step !== null && event.altKey && isManuscript) act.move(step)
    else if (step !== null && !event.altKey) focusNeighbour(event.currentTarget, step)
    else if (event.key === 'F2') act.rename()
    else if (event.key === 'Delete') act.remove()
    else return
    event.preventDefault()
  }

  if (isRenaming) {
    return (
      <li>
        <NameInput
          label={t('files.rename')}
          initial={name}
          onCancel={() => setIsRenaming(false)}
          onCommit={(next) => {
            setIsRenaming(false)
            if (next !== name) void store.getState().work.renameFile(file.path, renamedPath(file.path, next))
          }}
        />
      </li>
    )
  }

  return (
    <li className={isActive ? 'file-row file-row-active' : 'file-row'}>
      <button
        ref={row}
        type="button"
        className="file-open"
        title={file.path}
        aria-current={isActive ? 'page' : undefined}
        onClick={act.open}
        onKeyDown={onKeyDown}
      >
        <span className="grow clip">{name}</span>
        {hasConflict && <span className="file-conflict">{t('files.conflict')}</span>}
        {isManuscript && file.characters !== undefined && (
          <span className="file-count">
            {new Intl.NumberFormat(language).format(file.characters)}
            <span className="visually-hidden">{t('files.characterUnit')}</span>
          </span>
        )}
      </button>
      <Menu
        trigger={<IconButton icon="more" className="file-more" label={t('files.more', { name })} />}
        items={[
          { id: 'rename', label: t('files.rename'), keys: ['F2'], onSelect: act.rename },
          ...(isManuscript
            ? [
                { id: 'up', label: t('files.moveUp'), keys: ['Alt', '↑'], onSelect: () => act.move(-1) },
                { id: 'down', label: t('files.moveDown'), keys: ['Alt', '↓'], onSelect: () => act.move(1) },
              ]
            : []),
          { id: 'remove', label: t('files.remove'), keys: ['Delete'], isDanger: true, onSelect: act.remove },
        ]}
      />
    </li>
  )
}

/** Keeps the folder, and the ending where the new name has none. */
function renamedPath(path: string, name: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const ending = path.slice(folder.length + displayName(path).length)
  return `${folder}${name}${/\.(txt|md|markdown)$/i.test(name) ? '' : ending}`
}

function focusNeighbour(row: HTMLElement, step: number): void {
  const rows = [...(row.closest('nav')?.querySelectorAll<HTMLElement>('.file-open') ?? [])]
  rows[rows.indexOf(row) + step]?.focus()
}
