import { continuationPosition } from '../../shared/text/manuscript/manuscript-marks.ts'
import { isBlank } from '../../shared/text/white-space.ts'
import type { AppStore } from './app-store.ts'
import type { SeveralTakes } from './slices/work/runs-slice.ts'

/**
 * Continues the shown chapter: another take where one is offered, else at its end, or at the caret where that stands
 * in the middle and the author wants it so; asked once. The view goes to the place, and the caret with it; while text
 * streams neither moves.
 */
export function continueDraft(store: AppStore, options: SeveralTakes = {}): void {
  const { documents, runs, settings, ui } = store.getState()
  const path = documents.activePath
  if (path === null) return
  const { continueAt: choice } = settings.value.drafting
  if (runs.offers[path] !== undefined) void runs.retry(options)
  else if (caretInMiddle(store) === null) continueAt(store, 'end', options)
  else if (choice === 'ask') ui.open({ kind: 'continue-where', ...options })
  else continueAt(store, choice, options)
}

export function continueAt(store: AppStore, where: 'here' | 'end', options: SeveralTakes): void {
  const editor = store.editor.current
  const middle = caretInMiddle(store)
  const end = endOf(store)
  const isHere = where === 'here' && middle !== null
  const figures = editor?.figures()
  if (isHere) editor?.placeCaret(middle)
  else if (end !== null && (middle !== null || figures?.caret === 0 || (figures?.caret ?? 0) > end))
    editor?.placeCaret(end)
  else if (figures && figures.selectionFrom === figures.selectionTo) editor?.placeCaret(figures.caret)
  void store.getState().runs.start({ ...options, ...(isHere ? { endAt: middle } : {}) })
}

function shownText({ editor }: AppStore): string | null {
  const key = editor.current?.shownKey() ?? null
  return key === null ? null : (editor.current?.textOf(key) ?? null)
}

function endOf(store: AppStore): number | null {
  const text = shownText(store)
  return text === null ? null : continuationPosition(text)
}

/**
 * Returns the caret where text stands between it and the place of continuation at the end; null elsewhere, and where
 * the caret was never placed. Nothing can be continued behind that place, which `@endpoint` allows.
 */
function caretInMiddle(store: AppStore): number | null {
  const text = shownText(store)
  const caret = store.editor.current?.figures().caret ?? 0
  if (text === null || caret === 0) return null
  const end = continuationPosition(text)
  return caret >= end || isBlank(text.slice(caret, end)) ? null : caret
}
