import { ChangeSet, Text, type TransactionSpec } from '@codemirror/state'
import type { ChangeSetJson, DocumentSnapshot } from '../../../shared/domain/work/document.ts'
import type { KeptChanges } from '../editor-types.ts'
import { receiveKept, type SyncedChanges, unsavedOf } from './synced-changes.ts'

/** What is to be kept of a document that is not saved. */
export function writeKept(documentId: string, synced: SyncedChanges): KeptChanges {
  const { base, log } = unsavedOf(synced)
  return {
    documentId,
    base: base.toString(),
    confirmed: synced.unsaved.length,
    log: log.map(({ changes, isOwn, origin }) => ({
      changes: changes.toJSON() as ChangeSetJson,
      isOwn,
      ...(origin === undefined ? {} : { origin }),
    })),
  }
}

/** The transaction that goes on from the kept changes in a new state, which shows `snapshot`. */
export function readKept(
  { documentId, base, confirmed, log }: KeptChanges,
  snapshot: DocumentSnapshot,
): TransactionSpec {
  const unsaved = {
    base: Text.of(base.split('\n')),
    log: log.map(({ changes, isOwn, origin }) => ({ changes: ChangeSet.fromJSON(changes), isOwn, origin })),
  }
  // The same opening goes on: what it had confirmed it still has.
  return receiveKept(unsaved, snapshot, documentId === snapshot.documentId ? confirmed : 0)
}

/** The whole text of the page that kept these changes. */
export function keptText({ base, log }: KeptChanges): string {
  const text = Text.of(base.split('\n'))
  return log.reduce((doc, { changes }) => ChangeSet.fromJSON(changes).apply(doc), text).toString()
}
