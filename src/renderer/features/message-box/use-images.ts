import { type RefObject, useRef } from 'react'
import type { MessageEditor } from '../../editor/message/message-editor.ts'
import { useAppStore, useWords } from '../../state/store-context.tsx'

/** Takes images that are pasted or dropped into a box. */
export function useImages(editor: RefObject<MessageEditor | null>) {
  const { t } = useWords()
  const store = useAppStore()
  const adding = useRef<Promise<void> | null>(null)

  async function addAll(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const name = isNamed(file) ? file.name : t('image.pasted')
      const image = await store.getState().images.add(file, name)
      if (image !== null) editor.current?.insert({ kind: 'image', image })
    }
  }

  return {
    take(files: readonly File[]): void {
      const all = (adding.current ?? Promise.resolve()).then(() => addAll(files))
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
