import './picker.css'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import { pastedPath } from '../../../shared/text/paths/pasted-path.ts'
import { exportName, namesNew, splitNew, takePicked } from '../../state/slices/picked.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button, IconButton, PlainButton } from '../../ui/button.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { choices, type Entry, indexOfTyped, isFilePath } from './picker-purpose.ts'
import { useFolder } from './use-folder.ts'

/** The app's own picker, for hosts without the system's; the keyboard alone is enough for all of it. */
export function Picker({ purpose }: { purpose: PickPurpose }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const newName = useApp((state) => exportName(state, purpose))
  const { listing, error, isLoading, go, createFolder } = useFolder(
    useApp((state) => state.ui.lastPlace(purpose)),
  )
  const [typedPath, setTypedPath] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Entry | null>(null)
  const [name, setName] = useState(newName)
  // The folder is that of the last time; the name is known only to the user.
  const [isEntered, setIsEntered] = useState(false)
  const [isDue, setIsDue] = useState(false)
  const choice = choices[purpose]
  const isNamed = namesNew(purpose)
  const isPickable = (entry: Entry) => choice.picks.includes(entry.kind)
  const entries = (listing?.entries ?? []).filter((entry) => entry.kind === 'folder' || isPickable(entry))

  const canTake = (entry: Entry) => (entry.kind === 'folder' ? choice.usesFolder : isPickable(entry))
  const here = choice.usesFolder ? (listing?.path ?? null) : null
  const answer = chosen ? (canTake(chosen) ? chosen.path : null) : here
  const canFinish = answer !== null && (!isNamed || name.trim() !== '')

  const finish = (path: string | null) => {
    if (path === null || (isNamed && name.trim() === '')) return
    close()
    store.getState().ui.keepPlace(purpose, isNamed || path === listing?.path ? path : splitNew(path).path)
    takePicked(store.getState(), purpose, { path, name: name.trim() })
  }
  // Completes an Enter that came before the folder was read.
  useEffect(() => {
    if (isDue && canFinish) finish(answer)
  })
  const enter = (path: string) => {
    setChosen(null)
    setTypedPath(null)
    setIsEntered(true)
    void go(path)
  }
  const activate = (entry: Entry) => (entry.kind === 'folder' ? enter(entry.path) : finish(entry.path))
  const submitPath = () => {
    if (typedPath === null) return
    const path = pastedPath(typedPath) ?? typedPath
    if (isFilePath(purpose, path)) finish(path)
    else enter(path)
  }

  return (
    <Dialog
      title={t(`picker.${purpose}`)}
      description={t(`picker.${purpose}.hint`)}
      size="large"
      footer={
        <>
          {isNamed && (
            <div className="picker-name grow">
              <TextField
                label={t(`picker.${purpose}.name` as 'picker.create-work.name')}
                layout="row"
                autoFocus
                value={name}
                onFocus={(event) => event.target.select()}
                onChange={setName}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return
                  if (answer === null) setIsDue(isLoading)
                  else finish(answer)
                }}
              />
            </div>
          )}
          {!isNamed && <span className="grow clip small dim">{answer}</span>}
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button variant="primary" disabled={!canFinish} onClick={() => finish(answer)}>
            {t(`picker.${purpose}.finish`)}
          </Button>
        </>
      }
    >
      <div className="picker">
        <nav className="picker-places" aria-label={t('picker.places')}>
          {listing?.places.map((place) => (
            <PlainButton key={place.path} className="picker-place" onClick={() => enter(place.path)}>
              {place.name}
            </PlainButton>
          ))}
        </nav>
        <div className="grow picker-main">
          <Form className="row picker-path" onSubmit={submitPath}>
            <IconButton
              icon="up"
              label={t('picker.up')}
              disabled={!listing?.parent}
              onClick={() => listing?.parent && enter(listing.parent)}
            />
            <input
              className="input"
              aria-label={t('picker.path')}
              spellCheck={false}
              value={typedPath ?? listing?.path ?? ''}
              // Pasted text replaces the folder that is shown.
              onFocus={(event) => event.target.select()}
              onClick={(event) => typedPath === null && event.currentTarget.select()}
              onChange={(event) => setTypedPath(event.target.value)}
            />
            <NewFolder onCreate={createFolder} />
          </Form>
          {error && <Notice tone="bad">{errorText(error)}</Notice>}
          <EntryList
            key={listing?.path ?? ''}
            label={t('picker.entries')}
            entries={entries}
            chosen={chosen}
            takesFocus={!isNamed || isEntered}
            emptyText={isLoading ? t('loading') : t('picker.empty')}
            onChoose={setChosen}
            onActivate={activate}
            onUp={() => listing?.parent && enter(listing.parent)}
          />
          {listing?.isTruncated && <p className="small dim picker-note">{t('picker.truncated')}</p>}
        </div>
      </div>
    </Dialog>
  )
}

function NewFolder({ onCreate }: { onCreate: (name: string) => Promise<void> }) {
  const { t } = useWords()
  const [name, setName] = useState<string | null>(null)
  if (name === null) {
    return (
      <Button variant="quiet" icon="add" onClick={() => setName('')}>
        {t('picker.newFolder')}
      </Button>
    )
  }
  return (
    <input
      className="input picker-new"
      aria-label={t('picker.newFolder')}
      placeholder={t('picker.newFolder')}
      // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
      autoFocus
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={() => setName(null)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          setName(null)
        }
        if (event.key !== 'Enter') return
        event.preventDefault()
        if (name.trim() !== '') void onCreate(name.trim())
        setName(null)
      }}
    />
  )
}

/** Letters within this time belong to one name. */
const typingMs = 800

type EntryListProps = {
  label: string
  entries: readonly Entry[]
  chosen: Entry | null
  emptyText: string
  /** The list has the focus when the dialog opens, and again in each folder. */
  takesFocus: boolean
  onChoose: (entry: Entry) => void
  onActivate: (entry: Entry) => void
  onUp: () => void
}

/** Folders and files: arrows and letters choose, Enter enters or takes, Backspace goes up. */
function EntryList(props: EntryListProps) {
  const { label, entries, chosen, emptyText, takesFocus, onChoose, onActivate, onUp } = props
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState({ text: '', at: 0 })
  const index = entries.findIndex((entry) => entry.path === chosen?.path)

  useEffect(() => {
    if (takesFocus) list.current?.focus()
  }, [takesFocus])
  useEffect(() => {
    if (index >= 0) list.current?.children[index]?.scrollIntoView({ block: 'nearest' })
  }, [index])

  const choose = (at: number) => {
    const entry = entries[Math.max(0, Math.min(entries.length - 1, at))]
    if (entry) onChoose(entry)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') choose(index + 1)
    else if (event.key === 'ArrowUp') choose(index - 1)
    else if (event.key === 'Home') choose(0)
    else if (event.key === 'End') choose(entries.length - 1)
    else if (event.key === 'Enter') chosen && onActivate(chosen)
    else if (event.key === 'Backspace') onUp()
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const isNew = event.timeStamp - typed.at > typingMs
      const text = isNew ? event.key : typed.text + event.key
      setTyped({ text, at: event.timeStamp })
      const found = indexOfTyped(entries, Math.max(0, isNew ? index + 1 : index), text)
      if (found >= 0) choose(found)
    } else return
    event.preventDefault()
  }

  return (
    <div
      ref={list}
      className="picker-entries"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={index >= 0 ? `entry-${index}` : undefined}
      onKeyDown={onKeyDown}
    >
      {entries.map((entry, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list hears the keys for its options
        <div
          key={entry.path}
          id={`entry-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === index}
          className="row picker-entry"
          onClick={() => onChoose(entry)}
          onDoubleClick={() => onActivate(entry)}
        >
          <Icon name={entry.kind === 'folder' ? 'folder' : entry.kind === 'gguf' ? 'model' : 'file'} />
          <span className="clip">{entry.name}</span>
        </div>
      ))}
      {entries.length === 0 && (
        <div role="option" aria-selected={false} aria-disabled tabIndex={-1} className="picker-empty">
          {emptyText}
        </div>
      )}
    </div>
  )
}
