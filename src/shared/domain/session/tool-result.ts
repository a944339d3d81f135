import { z } from 'zod'
import { AttachedImage } from '../image/attached-image.ts'

/** An entry that is not a file: a symbolic link, or a folder. */
export const EntryKind = z.enum(['link', 'folder'])
export type EntryKind = z.infer<typeof EntryKind>

/** One file of a change as a card shows it. Units: lines. */
export const ChangedFile = z.object({
  path: z.string(),
  /** The new path of a moved file; null otherwise. */
  to: z.string().nullable(),
  action: z.enum(['create', 'edit', 'delete', 'move']),
  addedLines: z.int().min(0),
  removedLines: z.int().min(0),
  /** Set where the entry is not a file; the lines of a link are its target. */
  entry: EntryKind.optional(),
  /** The permission bits that the file gets, where they change or are not those of a usual new file. */
  mode: z.int().optional(),
  /** The content changes, and no line shows it: no text, too long a text, other line ends, another encoding. */
  isOpaque: z.literal(true).optional(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

/** How a command that was left running has ended. Shape: `exitCode` is null where a signal ended it. */
export const CommandEnding = z.object({
  end: z.enum(['exited', 'timeout', 'stopped']),
  exitCode: z.int().nullable(),
})
export type CommandEnding = z.infer<typeof CommandEnding>

/**
 * The applied changes of a command that ran in a copy of the folder.
 *
 * Shape: `ignored` was moved into place and cannot be undone; `left` was changed by somebody else meanwhile.
 * `changeSetId` is empty where no file was changed.
 */
export const SandboxedView = z.object({
  files: z.array(ChangedFile),
  ignored: z.array(z.object({ top: z.string(), files: z.int(), sizeBytes: z.number() })),
  left: z.array(z.string()),
  changeSetId: z.string(),
  isDeclined: z.boolean(),
})
export type SandboxedView = z.infer<typeof SandboxedView>

/** A call's result as a card shows it; the model's text of the result is stored beside it. */
export const ToolResultView = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text') }),
  /** Lines of a file, from 1. */
  z.object({
    kind: z.literal('file'),
    path: z.string(),
    from: z.int(),
    to: z.int(),
    totalLines: z.int(),
    isCut: z.boolean(),
  }),
  z.object({ kind: z.literal('image'), image: AttachedImage }),
  z.object({ kind: z.literal('entries'), path: z.string(), count: z.int(), isCut: z.boolean() }),
  z.object({ kind: z.literal('matches'), count: z.int(), files: z.int(), isCut: z.boolean() }),
  /** A page of the Web; `address` is where it was finally found. */
  z.object({
    kind: z.literal('page'),
    address: z.string(),
    title: z.string(),
    isCut: z.boolean(),
  }),
  /** `refusedHunks`: the number of places that the user refused before the change was written. */
  z.object({
    kind: z.literal('change'),
    files: z.array(ChangedFile),
    changeSetId: z.string(),
    refusedHunks: z.int().min(0),
  }),
  z.object({
    kind: z.literal('command'),
    line: z.string(),
    commandId: z.string(),
    end: z.enum(['exited', 'timeout', 'stopped', 'background', 'failed-to-start']),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    durationMs: z.number(),
    isCut: z.boolean(),
    /** The command could change nothing. Absent in what earlier versions stored. */
    isReadOnly: z.boolean().optional(),
    /** Of a command in the background, once it has ended. */
    ended: CommandEnding.optional(),
    /** The command ran in a copy of the folder. */
    sandboxed: SandboxedView.optional(),
  }),
])
export type ToolResultView = z.infer<typeof ToolResultView>
