import { useEffect, useState } from 'react'
import { useApp } from './store-context.tsx'

const shownMs = 2_000

/** Copies a text; the first value is true for a moment afterwards. */
export function useCopy(): [isCopied: boolean, copy: (text: string) => void] {
  const toast = useApp((state) => state.ui.toast)
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => toast({ key: 'conversation.notCopied' }),
    )
  }
  return [isCopied, copy]
}
