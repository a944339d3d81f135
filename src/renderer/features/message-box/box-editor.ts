import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { ChipSegment } from '../../editor/message/message-chips.ts'
import {
  createMessageEditor,
  type MessageEditor,
  type MessageLabels,
  type MessageValue,
} from '../../editor/message/message-editor.ts'
import { saveStateOf } from '../../state/reducers/document-reducer.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'

type EditorUse = {
  cspNonce: string | undefined
  labels: MessageLabels
  /** True where the key is used up. Keys that belong to an input method never come here. */
  onKey(event: KeyboardEvent, value: MessageValue): boolean
  onChange(value: MessageValue): void
  /** An input method begins to compose. */
  onCompose?(): void
  /** Images were pasted or dropped. */
  onImages(files: readonly File[]): void
  /** Called with each editor that is made; the returned function is called before that editor goes. */
  onMade?(editor: MessageEditor): () => void
}

/** `parent`: the element that the editor is to stand in. */
type EditorInUse = {
  parent: RefObject<HTMLDivElement | null>
  editor: RefObject<MessageEditor | null>
  value: MessageValue
}

export const emptyValue: MessageValue = {
  segments: [],
  isEmpty: true,
  ghost: null,
  plainText: '',
  isCaretAtStart: true,
  isCaretAtEnd: true,
  reference: null,
}

/** Mounts the message editor in a component. It always calls the functions of the last render. */
export function useMessageEditor(use: EditorUse): EditorInUse {
  const { cspNonce, labels } = use
  const parent = useRef<HTMLDivElement>(null)
  const editor = useRef<MessageEditor>(null)
  const [value, setValue] = useState(emptyValue)
  const latest = useRef(use)
  latest.current = use

  useEffect(() => {
    if (parent.current === null) return
    const made = createMessageEditor({
      parent: parent.current,
      ...(cspNonce ? { cspNonce } : {}),
      labels: latest.current.labels,
      events: {
        onKey: (event, now) => latest.current.onKey(event, now),
        onChange(next) {
          latest.current.onChange(next)
          setValue(next)
        },
        onCompose: () => latest.current.onCompose?.(),
        onImages: (files) => latest.current.onImages(files),
      },
    })
    editor.current = made
    const end = latest.current.onMade?.(made)
    return () => {
      end?.()
      editor.current = null
      made.destroy()
    }
  }, [cspNonce])
  useEffect(() => editor.current?.setLabels(labels), [labels])

  return { parent, editor, value }
}

/** Returns the words of a box in the interface's language; `words`: its name, where it is not the box of messages. */
export function useMessageLabels(hintId: string, words?: string): MessageLabels {
  const { t } = useWords()
  const unsaved = useUnsavedPaths()
  const picture = useApp((state) => state.images.address)
  return useMemo(
    () => ({
      box: words ?? t('session.message'),
      placeholder: words ?? t('session.placeholder'),
      hintId,
      chips: {
        unfold: t('conversation.unfoldPaste'),
        picture,
        remove: (segment) => t('image.remove', { name: chipName(t, segment) }),
        name: (segment) => chipName(t, segment),
        mark: (segment) =>
          segment.kind === 'file-ref' && unsaved.includes(segment.path) ? t('reference.unsaved') : null,
      },
    }),
    [t, unsaved, hintId, picture, words],
  )
}

function chipName(t: Translate, segment: ChipSegment): string {
  if (segment.kind === 'image') return segment.image.name
  return segment.kind === 'paste'
    ? t('conversation.paste', { count: segment.text.split('\n').length })
    : segmentsText([segment])
}

/** Returns the files whose text in the window is newer than the disk's. The same list while the paths are the same. */
function useUnsavedPaths(): readonly string[] {
  const paths = useApp(({ documents }) =>
    Object.values(documents.byPath)
      .filter((view) => ['saving', 'failed', 'conflict', 'offline'].includes(saveStateOf(view)))
      .map((view) => view.path)
      .join('\n'),
  )
  return useMemo(() => paths.split('\n'), [paths])
}

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

/**
 * Takes images that are pasted or dropped into a box. `keyNow`: under which name the box keeps its text, where it can
 * show another text by the time an image is read; the image then goes into the text that it was meant for.
 */
export function useImages(editor: RefObject<MessageEditor | null>, keyNow?: () => string) {
  const { t } = useWords()
  const store = useAppStore()
  const adding = useRef<Promise<void> | null>(null)

  async function addAll(files: readonly File[], key: string | undefined): Promise<void> {
    for (const file of files) {
      const name = isNamed(file) ? file.name : t('image.pasted')
      const image = await store.getState().images.add(file, name)
      if (image === null) continue
      if (key === undefined || keyNow?.() === key) {
        editor.current?.insert({ kind: 'image', image })
        continue
      }
      const { unsent } = store.getState()
      unsent.keep(key, [...(unsent.byKey[key] ?? []), { kind: 'image', image }])
    }
  }

  return {
    take(files: readonly File[]): void {
      const key = keyNow?.()
      const all = (adding.current ?? Promise.resolve()).then(() => addAll(files, key))
      adding.current = all
      void all.finally(() => {
        if (adding.current === all) adding.current = null
      })
    },
    /** Resolves when everything that was pasted so far stands in the box; null where it does already. */
    settled: (): Promise<void> | null => adding.current,
  }
}

/** Returns false for the name that browsers give a pasted screenshot. */
function isNamed({ name }: File): boolean {
  return name !== '' && name !== 'image.png'
}
