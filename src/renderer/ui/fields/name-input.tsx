import './field.css'
import { useEffect, useRef, useState } from 'react'

type NameInputProps = {
  label: string
  initial: string
  onCommit: (name: string) => void
  onCancel: () => void
}

/** A field for a name in place of a row, which has the focus again after a key: Enter keeps, Esc discards. */
export function NameInput({ label, initial, onCommit, onCancel }: NameInputProps) {
  const [name, setName] = useState(initial)
  const input = useRef<HTMLInputElement>(null)
  const isEndedByKey = useRef(false)
  useEffect(() => {
    const row = input.current?.parentElement
    input.current?.focus()
    input.current?.select()
    return () => {
      const isNowhere = document.activeElement === document.body
      if (isEndedByKey.current && isNowhere) row?.querySelector('button')?.focus()
    }
  }, [])
  return (
    <input
      ref={input}
      className="input name-input"
      aria-label={label}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={onCancel}
      onKeyDown={(event) => {
        event.stopPropagation()
        isEndedByKey.current = event.key === 'Escape' || (event.key === 'Enter' && name.trim() !== '')
        if (!isEndedByKey.current) return
        // Otherwise the same key would press the row, which has the focus by then.
        event.preventDefault()
        if (event.key === 'Enter') onCommit(name.trim())
        else onCancel()
      }}
    />
  )
}
