import './features/models/catalogue.css'
import { useEffect, useState } from 'react'
import { pastedPath } from '../shared/text/paths/pasted-path.ts'
import type { AppStore } from './state/app-store.ts'
import { useAppStore, useWords } from './state/store-context.tsx'

/** Takes a GGUF file that is dropped anywhere in the window; over it, says that it can be dropped. */
export function DroppedModel({ pathOf }: { pathOf?: ((file: File) => string) | undefined }) {
  const { t } = useWords()
  const store = useAppStore()
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Otherwise the browser would open the file in place of the page.
      event.preventDefault()
      setIsOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false)
    }
    const drop = (event: DragEvent) => {
      setIsOver(false)
      if (!hasFiles(event)) return
      const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => /\.gguf$/i.test(name))
      if (file === undefined) {
        // A text that is dropped into an editor is the editor's.
        if (!isInEditor(event)) {
          event.preventDefault()
          store.getState().ui.toast({ key: 'models.drop.other' })
        }
        return
      }
      event.preventDefault()
      // An editor would read the file as text.
      event.stopPropagation()
      take(store, file.name, pathOf?.(file) || listedPath(event, file.name))
    }
    const options = { capture: true }
    addEventListener('dragover', over, options)
    addEventListener('dragleave', leave, options)
    addEventListener('drop', drop, options)
    return () => {
      removeEventListener('dragover', over, options)
      removeEventListener('dragleave', leave, options)
      removeEventListener('drop', drop, options)
    }
  }, [store, pathOf])
  return isOver ? (
    <div className="drop-veil" role="status">
      {t('models.drop.over')}
    </div>
  ) : null
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}

function isInEditor(event: DragEvent): boolean {
  return event.target instanceof Element && event.target.closest('.cm-editor') !== null
}

/** Returns the path of a dropped file; some browsers list dropped files by their `file:` addresses. */
function listedPath(event: DragEvent, name: string): string | null {
  const lines = event.dataTransfer?.getData('text/uri-list').split(/\r?\n/) ?? []
  const paths = lines.filter((line) => /^file:/i.test(line)).map(pastedPath)
  return paths.find((path) => path?.endsWith(name)) ?? null
}

function take(store: AppStore, name: string, path: string | null): void {
  const { models, ui } = store.getState()
  if (path === null) ui.open({ kind: 'model-path', droppedName: name })
  else void models.openFile(path, { isTold: true })
}
