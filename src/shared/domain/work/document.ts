import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { LineEnd, TextEncoding } from './text-encoding.ts'

/**
 * A CodeMirror `ChangeSet` as JSON: a number keeps that many units, an array deletes its first number of
 * units and inserts its strings, joined by LF.
 *
 * Units: UTF-16 code units with LF line ends.
 */
export const ChangeSetJson = z.array(
  z.union([z.number().int().nonnegative(), z.tuple([z.number().int().nonnegative()], z.string())]),
)
export type ChangeSetJson = z.infer<typeof ChangeSetJson>

/** The origin of a change that no window typed. Each is one undo step in the window. */
export const ChangeOrigin = z.enum(['take', 'agent', 'reload', 'restore', 'transfer', 'replace'])
export type ChangeOrigin = z.infer<typeof ChangeOrigin>

/** One change; main decides the order of changes. `clientId` is the window's, or `host` for main's own. */
export const DocumentChange = z.object({
  changes: ChangeSetJson,
  clientId: z.string(),
  origin: ChangeOrigin.optional(),
})
export type DocumentChange = z.infer<typeof DocumentChange>

/** The file was changed on disk (reload, keep mine or compare) or removed (write it again, or discard the text). */
export const DocumentConflict = z.object({ kind: z.enum(['changed', 'removed']) })
export type DocumentConflict = z.infer<typeof DocumentConflict>

/** The encoding and line ends of the file on disk. */
export const DocumentFormat = z.object({
  encoding: TextEncoding,
  lineEnd: LineEnd,
  hasBom: z.boolean(),
  isReadOnly: z.boolean(),
})
export type DocumentFormat = z.infer<typeof DocumentFormat>

/**
 * An open document as a whole.
 *
 * Shape: `path` is relative to the work, separated by `/`; the document is saved when `savedVersion` equals `version`.
 * `saveError` is why the last save failed; saving is retried automatically. `file/unencodable` asks the user whether
 * to save as UTF-8. `recovered`: `text` came back, which an earlier host could not write.
 */
export const DocumentSnapshot = z.object({
  documentId: z.string(),
  path: z.string(),
  version: z.number().int().nonnegative(),
  text: z.string(),
  ...DocumentFormat.shape,
  savedVersion: z.number().int().nonnegative(),
  conflict: DocumentConflict.optional(),
  saveError: ErrorInfo.optional(),
  recovered: z.object({ at: z.number() }).optional(),
})
export type DocumentSnapshot = z.infer<typeof DocumentSnapshot>

/** Events after the snapshot. `changed.version`: after its changes, which follow one another without a gap. */
export const DocumentEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('snapshot'), snapshot: DocumentSnapshot }),
  z.object({
    kind: z.literal('changed'),
    version: z.number().int().nonnegative(),
    changes: z.array(DocumentChange),
  }),
  z.object({ kind: z.literal('saved'), version: z.number().int().nonnegative(), at: z.number() }),
  z.object({ kind: z.literal('save-failed'), error: ErrorInfo }),
  z.object({ kind: z.literal('conflict'), conflict: DocumentConflict }),
  z.object({ kind: z.literal('conflict-ended') }),
  /** The text now has both the changes made elsewhere and those made here. */
  z.object({ kind: z.literal('merged') }),
  /** `isForeign`: another program changed the text, and the author has not asked to reload it. */
  z.object({
    kind: z.literal('reloaded'),
    version: z.number().int().nonnegative(),
    isForeign: z.boolean(),
  }),
  z.object({ kind: z.literal('format'), format: DocumentFormat }),
  z.object({ kind: z.literal('moved'), path: z.string() }),
  z.object({ kind: z.literal('closed') }),
])
export type DocumentEvent = z.infer<typeof DocumentEvent>

/**
 * The answer to a batch of changes.
 *
 * `accepted`: the changes are applied, rebased where others came first; `version` is the version after them. The window
 * learns its own changes from the watch, in order with the others'. `behind`: the base is older than what
 * main remembers; watch again from a fresh snapshot.
 */
export const ChangeResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), version: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('behind'), version: z.number().int().nonnegative() }),
])
export type ChangeResult = z.infer<typeof ChangeResult>
