import { EditorState, Text } from '@codemirror/state'
import type { DocumentEvent } from '../../../shared/domain/work/document.ts'
import { AppError, type ErrorInfo } from '../../../shared/errors.ts'
import type { DocumentLink } from '../editor-types.ts'
import { DocumentSession } from './document-session.ts'
import { syncedChanges } from './synced-changes.ts'

/**
 * Brings to main what is kept of a file that is not shown, and ends when it is saved. What is not saved stays kept.
 *
 * Returns null where all is in the file, else why it is not. A lost connection is waited for.
 */
export function deliverKept(link: DocumentLink): Promise<ErrorInfo | null> {
  return new Promise((resolve) => {
    let trouble: ErrorInfo | null = null
    let isEnded = false
    const conflict: ErrorInfo = { code: 'document/conflict', path: link.key }
    const end = (problem: ErrorInfo | null) => {
      if (isEnded) return
      isEnded = true
      session.leave()
      resolve(problem)
    }
    const look = () => {
      if (session.state === null) return
      if (!session.hasUnsaved) end(null)
      // Main has the text, and cannot save it.
      else if (trouble !== null && session.syncState === 'synced') end(trouble)
    }
    const session = new DocumentSession(link, {
      createState: ({ text, version }) =>
        EditorState.create({ doc: Text.of(text.split('\n')), extensions: syncedChanges(version) }),
      readOnlyChange: () => ({}),
      onOpened: () => undefined,
      onDocument(_key, event) {
        trouble = troubleOf(event, trouble, conflict)
        if (event.kind === 'closed') end(conflict)
        else look()
      },
      onSync: look,
      onProblem(_key, error) {
        if (!(error instanceof AppError)) end({ code: 'internal/bug', logId: String(error) })
        else if (!passing.has(error.info.code)) end(error.info)
      },
    })
  })
}

/** Failures after which the session goes on by itself. */
const passing = new Set<ErrorInfo['code']>([
  'rpc/closed',
  'rpc/too-slow',
  'rpc/aborted',
  'document/bad-version',
  'document/not-open',
])

/** Returns why main cannot save after an event; null where nothing stands in the way. */
function troubleOf(event: DocumentEvent, before: ErrorInfo | null, conflict: ErrorInfo): ErrorInfo | null {
  if (event.kind === 'snapshot')
    return event.snapshot.saveError ?? (event.snapshot.conflict ? conflict : null)
  if (event.kind === 'save-failed') return event.error
  if (event.kind === 'conflict') return conflict
  if (event.kind === 'saved' || event.kind === 'conflict-ended' || event.kind === 'reloaded') return null
  return before
}
