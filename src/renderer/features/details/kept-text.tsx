import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { FieldIds } from '../../ui/fields/field.tsx'

const restMs = 600

type KeptTextProps = {
  ids: FieldIds
  isLong: boolean
  value: string
  placeholder?: string
  onKeep: (value: string) => void
}

/**
 * A text field that is saved when typing pauses, when it is left, and before a command's key. While the user types in
 * it, changes from elsewhere wait.
 */
export function KeptText({ ids, isLong, value, placeholder, onKeep }: KeptTextProps) {
  const [draft, setDraft] = useState(value)
  const unkept = useRef<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const keepNow = () => {
    clearTimeout(timer.current)
    const text = unkept.current
    unkept.current = null
    if (text !== null && text !== value) onKeep(text)
  }
  const keep = useRef(keepNow)
  keep.current = keepNow

  useEffect(() => {
    if (unkept.current === null) setDraft(value)
  }, [value])
  useEffect(() => {
    const keepLast = () => keep.current()
    // The page may go before typing rests.
    addEventListener('pagehide', keepLast)
    return () => {
      removeEventListener('pagehide', keepLast)
      keepLast()
    }
  }, [])

  const shared = {
    ...ids,
    placeholder,
    value: draft,
    onChange: (event: { target: { value: string } }) => {
      setDraft(event.target.value)
      unkept.current = event.target.value
      clearTimeout(timer.current)
      timer.current = setTimeout(() => keep.current(), restMs)
    },
    onBlur: () => keep.current(),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) keep.current()
    },
  }
  return isLong ? (
    <textarea className="textarea" rows={3} {...shared} />
  ) : (
    <input className="input" {...shared} />
  )
}
