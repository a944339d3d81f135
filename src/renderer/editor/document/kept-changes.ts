import { ChangeSet, Text, type TransactionSpec } from '@codemirror/state'
import type { ChangeSetJson, DocumentSnapshot } from '../../../shared/domain/work/document.ts'
import type { KeptChanges } from '../editor-types.ts'
import { receiveKept, type SyncedChanges, unsavedOf } from './synced-changes.ts'

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

/** Returns the transaction that restores the kept changes in a new state, which shows `snapshot`. */
export function readKept(
  { documentId, base, confirmed, log }: KeptChanges,
  snapshot: DocumentSnapshot,
): TransactionSpec {
  const unsaved = {
    base: Text.of(base.split('\n')),
    log: log.map(({ changes, isOwn, origin }) => ({ changes: ChangeSet.fromJSON(changes), isOwn, origin })),
  }
  // In the same opening, main still has the changes that it had confirmed.
  return receiveKept(unsaved, snapshot, documentId === snapshot.documentId ? confirmed : 0)
}

export function keptText({ base, log }: KeptChanges): string {
  const text = Text.of(base.split('\n'))
  return log.reduce((doc, { changes }) => ChangeSet.fromJSON(changes).apply(doc), text).toString()
}
