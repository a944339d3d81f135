import { type RefObject, useEffect, useRef } from 'react'
import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import type { MessageEditor } from '../../editor/message/message-editor.ts'
import { useApp, useAppStore } from '../../state/store-context.tsx'

/**
 * Shows in an editor the text that was written under `key` before, here or in another window, and returns the function
 * that keeps the text that is written now. A composition is not interrupted: its result counts.
 */
export function useUnsent(
  editor: RefObject<MessageEditor | null>,
  key: string,
): (segments: MessageSegment[]) => void {
  const store = useAppStore()
  const kept = useApp(({ unsent }) => unsent.byKey[key])
  const written = useRef<{ key: string; segments: MessageSegment[] | undefined } | null>(null)
  useEffect(() => {
    const isWritten = written.current?.key === key && written.current.segments === kept
    if (isWritten || editor.current === null) return
    // The text that is shown only got another key, as when the first message makes the session.
    if (kept !== undefined && written.current?.segments === kept) {
      written.current.key = key
      return
    }
    if (written.current?.key === key && editor.current.isComposing()) return
    written.current = { key, segments: kept }
    editor.current.setSegments(kept ?? [])
  }, [editor, key, kept])
  return (segments) => {
    written.current = { key, segments }
    store.getState().unsent.keep(key, segments)
  }
}
