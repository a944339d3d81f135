import type { DocumentConflict, DocumentEvent, DocumentFormat } from '../../../shared/domain/work/document.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { SyncState } from '../../editor/editor-types.ts'

/**
 * The state of an open document that the window shows besides its text.
 *
 * Shape: `key` names it for the editor and stays when the file is renamed; `documentId` is null until the first
 * snapshot.
 */
export type DocumentView = {
  key: string
  path: string
  documentId: string | null
  version: number
  savedVersion: number
  savedAt: number | null
  format: DocumentFormat | null
  conflict: DocumentConflict | null
  saveError: ErrorInfo | null
  recoveredAt: number | null
  /** Another program changed the text here: `told` is shown until the author puts it away. */
  changedElsewhere: 'no' | 'told' | 'read'
  sync: SyncState
  /** Why it cannot be shown, or what was last refused; goes with the next success. */
  problem: ErrorInfo | null
}

export function newDocument(key: string, path: string): DocumentView {
  return {
    key,
    path,
    documentId: null,
    version: 0,
    savedVersion: 0,
    savedAt: null,
    format: null,
    conflict: null,
    saveError: null,
    recoveredAt: null,
    changedElsewhere: 'no',
    sync: 'opening',
    problem: null,
  }
}

export function foldDocument(view: DocumentView, event: DocumentEvent): DocumentView {
  switch (event.kind) {
    case 'snapshot': {
      const { documentId, path, version, savedVersion, conflict, saveError, recovered } = event.snapshot
      const { encoding, lineEnd, hasBom, isReadOnly } = event.snapshot
      return {
        ...view,
        documentId,
        path,
        version,
        savedVersion,
        format: { encoding, lineEnd, hasBom, isReadOnly },
        conflict: conflict ?? null,
        saveError: saveError ?? null,
        recoveredAt: recovered?.at ?? view.recoveredAt,
        problem: null,
      }
    }
    case 'changed':
      return { ...view, version: event.version, problem: null }
    case 'saved':
      return {
        ...view,
        savedVersion: event.version,
        savedAt: event.at,
        saveError: null,
        // The author has written here since: the next change from elsewhere replaces his text anew.
        changedElsewhere: view.changedElsewhere === 'read' ? 'no' : view.changedElsewhere,
      }
    case 'save-failed':
      return { ...view, saveError: event.error }
    case 'conflict':
      return { ...view, conflict: event.conflict }
    case 'conflict-ended':
      return { ...view, conflict: null }
    case 'reloaded':
      return {
        ...view,
        version: event.version,
        savedVersion: event.version,
        conflict: null,
        saveError: null,
        changedElsewhere: event.isForeign && view.changedElsewhere === 'no' ? 'told' : view.changedElsewhere,
      }
    case 'format':
      return { ...view, format: event.format }
    case 'moved':
      return { ...view, path: event.path }
    case 'merged':
    case 'closed':
      return view
  }
}

/** `saving` also covers what has not left the window yet. */
export type SaveState = 'opening' | 'saved' | 'saving' | 'failed' | 'conflict' | 'offline' | 'read-only'

export function saveStateOf(view: DocumentView): SaveState {
  if (view.conflict !== null) return 'conflict'
  if (view.saveError !== null) return 'failed'
  if (view.sync === 'offline') return 'offline'
  if (view.documentId === null) return 'opening'
  if (view.format?.isReadOnly) return 'read-only'
  return view.sync === 'synced' && view.savedVersion >= view.version ? 'saved' : 'saving'
}
