import { ChangeSet, Text } from '@codemirror/state'
import type { ChangeSetJson } from '../../shared/domain/document.ts'
import type { KeptChanges } from './editor-types.ts'
import { type SyncedChanges, unsavedOf } from './synced-changes.ts'
import { type LocalChange, rebaseUnsaved } from './unsaved-changes.ts'

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

/** The kept changes that a snapshot lacks, to be made on it one after the other. */
export function readKept(
  { documentId, base, confirmed, log }: KeptChanges,
  snapshot: { documentId: string; text: string },
): LocalChange[] {
  const unsaved = {
    base: Text.of(base.split('\n')),
    log: log.map(({ changes, isOwn, origin }) => ({ changes: ChangeSet.fromJSON(changes), isOwn, origin })),
  }
  // The same opening goes on: what it had confirmed it still has.
  const atLeast = documentId === snapshot.documentId ? confirmed : 0
  return rebaseUnsaved(unsaved, Text.of(snapshot.text.split('\n')), atLeast).rest
}

/** The whole text of the page that kept these changes. */
export function keptText({ base, log }: KeptChanges): string {
  const text = Text.of(base.split('\n'))
  return log.reduce((doc, { changes }) => ChangeSet.fromJSON(changes).apply(doc), text).toString()
}
