import { type RefObject, useRef } from 'react'
import type { MessageEditor } from '../../editor/message/message-editor.ts'
import { useAppStore, useWords } from '../../state/store-context.tsx'

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

/** False for the name that browsers give a pasted screenshot. */
function isNamed({ name }: File): boolean {
  return name !== '' && name !== 'image.png'
}
