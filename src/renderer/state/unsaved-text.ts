import type { Translate } from '../../shared/i18n/translate.ts'
import { keptText } from '../editor/document/kept-changes.ts'
import type { AppStore } from './app-store.ts'
import { detailLabel, unsavedDetails } from './slices/work/detail-texts-slice.ts'

/** Paths of the open work with text of this window that is not surely in the file. */
function unsavedPaths(store: AppStore): string[] {
  const { work, documents } = store.getState()
  const keys = new Set(store.editor.current?.unsavedKeys())
  const open = Object.values(documents.byPath).filter((view) => keys.has(view.key))
  const kept = work.current === null ? [] : store.keptTexts.pathsOf(work.current.root)
  return [...new Set([...open.map((view) => view.path), ...kept])]
}

export function hasUnsavedText(store: AppStore): boolean {
  const state = store.getState()
  return unsavedPaths(store).length > 0 || unsavedDetails(state).length > 0 || state.drafts.hasUnsent()
}

/**
 * Returns all text that would be lost with this tab, to be put elsewhere. Texts are whole, each under its path or the
 * name of its field.
 */
export function unsavedText(store: AppStore, t: Translate): string {
  const { documents, drafts, work } = store.getState()
  const chapters = unsavedPaths(store).flatMap((path) => {
    const key = documents.byPath[path]?.key
    const kept = store.keptTexts.place(work.current?.root ?? '', path).read()
    const shown = key === undefined ? null : (store.editor.current?.textOf(key) ?? null)
    const text = shown ?? (kept === null ? null : keptText(kept))
    return text === null ? [] : [{ name: path, text }]
  })
  const details = unsavedDetails(store.getState()).map(({ name, text }) => ({
    name: t(detailLabel(name)),
    text,
  }))
  const texts = [...chapters, ...details]
  const messages = drafts.unsent()
  if (texts.length === 1 && messages.length === 0) return texts[0]?.text ?? ''
  return [...texts.map(({ name, text }) => `${name}\n\n${text}`), ...messages].join('\n\n')
}
