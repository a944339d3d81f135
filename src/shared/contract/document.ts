import { z } from 'zod'
import {
  ChangeOrigin,
  ChangeResult,
  ChangeSetJson,
  DocumentEvent,
  DocumentSnapshot,
} from '../domain/work/document.ts'
import { HistoryEntry } from '../domain/work/history-entry.ts'
import { call, stream } from './method.ts'

const InDocument = z.object({ documentId: z.string() })

export const documentContract = {
  /**
   * Opens a document and follows it: a snapshot, then its events. It stays open as long as
   * anything watches it. With `afterVersion` (a reconnect), the changes since then instead of a snapshot
   * where main still has them.
   */
  'document.watch': stream(
    z.object({
      workId: z.string(),
      path: z.string(),
      afterVersion: z.number().int().nonnegative().optional(),
    }),
    DocumentEvent,
  ),
  'document.change': call(
    InDocument.extend({
      clientId: z.string(),
      baseVersion: z.number().int().nonnegative(),
      changes: z.array(ChangeSetJson).max(10_000),
      /** Given for changes that the author did not type: a history snapshot is made before them. */
      origin: ChangeOrigin.optional(),
    }),
    ChangeResult,
  ),
  'document.save': call(InDocument, z.object({ version: z.number() })),
  /** `reload` takes the disk's text as one undoable change; `keep-mine` writes over it. */
  'document.resolveConflict': call(
    InDocument.extend({ choice: z.enum(['reload', 'keep-mine']) }),
    DocumentSnapshot,
  ),
  /** Returns the disk's present text, for comparing, and the common base of both sides; null where it is not known. */
  'document.diskText': call(InDocument, z.object({ text: z.string(), base: z.string().nullable() })),
  /** Ends a conflict with a text that merges both sides. Errors: `file/changed` where either has changed since. */
  'document.mergeConflict': call(
    InDocument.extend({ mine: z.string(), disk: z.string(), text: z.string() }),
    DocumentSnapshot,
  ),
  'document.saveAsUtf8': call(InDocument, z.object({ version: z.number() })),

  'history.list': call(InDocument, z.object({ entries: z.array(HistoryEntry) })),
  'history.read': call(InDocument.extend({ entryId: z.string() }), z.object({ text: z.string() })),
  'history.restore': call(InDocument.extend({ entryId: z.string() }), z.object({ version: z.number() })),
  'history.snapshot': call(InDocument, z.object({ entry: HistoryEntry })),
}
