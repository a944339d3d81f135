import { type RefObject, useRef } from 'react'
import type { MessageEditor } from '../../editor/message/message-editor.ts'
import { useAppStore, useWords } from '../../state/store-context.tsx'

/**
 * Takes images that are pasted or dropped into a box. `draftNow`: the name of the draft that the box shows, where it can
 * show another one by the time an image is read; the image then goes into the draft that it was meant for.
 */
export function useImages(editor: RefObject<MessageEditor | null>, draftNow?: () => string) {
  const { t } = useWords()
  const store = useAppStore()
  const adding = useRef<Promise<void> | null>(null)

  async function addAll(files: readonly File[], draft: string | undefined): Promise<void> {
    for (const file of files) {
      const name = isNamed(file) ? file.name : t('image.pasted')
      const image = await store.getState().images.add(file, name)
      if (image === null) continue
      if (draft === undefined || draftNow?.() === draft) {
        editor.current?.insert({ kind: 'image', image })
        continue
      }
      const { drafts } = store.getState()
      drafts.keep(draft, [...(drafts.byKey[draft] ?? []), { kind: 'image', image }])
    }
  }

  return {
    take(files: readonly File[]): void {
      const draft = draftNow?.()
      const all = (adding.current ?? Promise.resolve()).then(() => addAll(files, draft))
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
