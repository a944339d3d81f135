import './field.css'
import { useEffect, useRef, useState } from 'react'

type NameInputProps = {
  label: string
  initial: string
  onCommit: (name: string) => void
  onCancel: () => void
}

/** A name in place of a row: Enter keeps it, Esc or leaving gives it up. */
export function NameInput({ label, initial, onCommit, onCancel }: NameInputProps) {
  const [name, setName] = useState(initial)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current?.focus()
    input.current?.select()
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
        if (event.nativeEvent.isComposing) return
        event.stopPropagation()
        if (event.key === 'Enter' && name.trim() !== '') onCommit(name.trim())
        if (event.key === 'Escape') onCancel()
      }}
    />
  )
}
