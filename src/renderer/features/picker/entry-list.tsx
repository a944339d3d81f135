import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { type Entry, indexOfTyped } from './picker-purpose.ts'

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
export function EntryList(props: EntryListProps) {
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
          className="picker-entry"
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
