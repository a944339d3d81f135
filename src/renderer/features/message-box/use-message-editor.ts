import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  createMessageEditor,
  type MessageEditor,
  type MessageLabels,
  type MessageValue,
} from '../../editor/message/message-editor.ts'

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
export type EditorInUse = {
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

/** The editor that messages are written in, in a component. It always calls the functions of the last render. */
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
