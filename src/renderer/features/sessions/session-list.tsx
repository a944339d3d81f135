import './session-list.css'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { ListedSession } from '../../../shared/domain/session/session.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { IconButton, PlainButton } from '../../ui/button.tsx'
import { NameInput } from '../../ui/fields/name-input.tsx'
import { useKeptFocus } from '../../ui/kept-focus.ts'
import { Notice } from '../../ui/notice.tsx'
import { ContextMenu, Menu, type MenuItem } from '../../ui/overlays/menu.tsx'

export function SessionList() {
  const { t, errorText } = useWords()
  const { list, isListLoaded, listError } = useApp((state) => state.sessions)
  const create = useApp((state) => state.sessions.create)
  const open = useApp((state) => state.ui.open)
  return (
    <nav aria-label={t('session.list')} className="session-nav">
      <div className="file-group">
        <h2 className="label grow">{t('session.list')}</h2>
        <IconButton
          icon="search"
          label={t('session.search')}
          onClick={() => open({ kind: 'session-search' })}
        />
        <IconButton icon="add" label={t('session.new')} onClick={() => void create()} />
      </div>
      {listError && <Notice tone="bad">{errorText(listError)}</Notice>}
      {!isListLoaded && <p className="session-none small dim late">{t('loading')}</p>}
      {isListLoaded && list.length === 0 && !listError && (
        <p className="session-none small dim">{t('session.none')}</p>
      )}
      <ul>
        {list.map((session) => (
          <SessionRow key={session.sessionId} session={session} />
        ))}
      </ul>
    </nav>
  )
}

/** One session: opens on a click or Enter; F2 and Delete act on the focused one. */
function SessionRow({ session }: { session: ListedSession }) {
  const { t } = useWords()
  const store = useAppStore()
  const { sessionId } = session
  const isOpen = useApp((state) => state.conversation.current?.sessionId === sessionId)
  const [isRenaming, setIsRenaming] = useState(false)
  const title = session.title || t('session.untitled')
  const item = useRef<HTMLLIElement>(null)
  useKeptFocus(item)

  const open = () => {
    const { conversation, ui } = store.getState()
    conversation.open(sessionId)
    if (ui.isNarrow) ui.togglePane('files', false)
    // Also where it was open already.
    store.messageBox.current?.focus()
  }
  const rename = () => setIsRenaming(true)
  const remove = () => store.getState().ui.open({ kind: 'session-remove', sessionId })
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key === 'F2') rename()
    else if (event.key === 'Delete') remove()
    else if (event.key === 'ArrowDown') focusNeighbour(event.currentTarget, 1)
    else if (event.key === 'ArrowUp') focusNeighbour(event.currentTarget, -1)
    else return
    event.preventDefault()
  }

  const items: MenuItem[] = [
    { id: 'rename', label: t('session.rename'), keys: ['F2'], onSelect: rename },
    { id: 'remove', label: t('session.remove'), keys: ['Delete'], isDanger: true, onSelect: remove },
  ]
  if (isRenaming) {
    return (
      <ContextMenu items={items} isOff>
        <li ref={item}>
          <NameInput
            label={t('session.rename')}
            initial={session.title}
            onCancel={() => setIsRenaming(false)}
            onCommit={(next) => {
              setIsRenaming(false)
              if (next === session.title) return
              void store.getState().sessions.call('session.rename', { sessionId, title: next })
            }}
          />
        </li>
      </ContextMenu>
    )
  }
  return (
    <ContextMenu items={items}>
      <li ref={item} className={isOpen ? 'file-row file-row-active' : 'file-row'}>
        <PlainButton
          className="file-open session-open"
          title={title}
          aria-current={isOpen ? 'page' : undefined}
          onClick={open}
          onDoubleClick={rename}
          onKeyDown={onKeyDown}
        >
          <span className={session.title === '' ? 'grow clip dim' : 'grow clip'}>{title}</span>
          {session.isWaiting && (
            <span className="session-mark session-waiting">{t('session.mark.waiting')}</span>
          )}
          {session.isWorking && !session.isWaiting && (
            <span className="session-mark">{t('session.mark.working')}</span>
          )}
        </PlainButton>
        <Menu
          trigger={<IconButton icon="more" className="file-more" label={t('session.more', { title })} />}
          items={items}
        />
      </li>
    </ContextMenu>
  )
}

function focusNeighbour(row: HTMLElement, step: number): void {
  const rows = [...(row.closest('nav')?.querySelectorAll<HTMLElement>('.session-open') ?? [])]
  rows[rows.indexOf(row) + step]?.focus()
}
