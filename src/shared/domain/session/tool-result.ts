import { z } from 'zod'
import { AttachedImage } from '../image/attached-image.ts'

/** What is no file: a symbolic link, or a folder. */
export const EntryKind = z.enum(['link', 'folder'])
export type EntryKind = z.infer<typeof EntryKind>

/** One file of a change as a card shows it. Units: lines. */
export const ChangedFile = z.object({
  path: z.string(),
  /** Where a moved file went; null otherwise. */
  to: z.string().nullable(),
  action: z.enum(['create', 'edit', 'delete', 'move']),
  addedLines: z.int().min(0),
  removedLines: z.int().min(0),
  /** It is no file; its lines are where a link leads. */
  entry: EntryKind.optional(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

/** How a command that was left running has ended. Shape: `exitCode` is null where a signal ended it. */
export const CommandEnding = z.object({
  end: z.enum(['exited', 'timeout', 'stopped']),
  exitCode: z.int().nullable(),
})
export type CommandEnding = z.infer<typeof CommandEnding>

/**
 * What was taken over of a command that ran in a copy of the folder.
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

/** What a card shows of a call's result; the model's text of it stands beside. */
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
  /** A page of the Web; `address` is where it was found in the end. */
  z.object({
    kind: z.literal('page'),
    address: z.string(),
    title: z.string(),
    isCut: z.boolean(),
  }),
  /** `refusedHunks`: how many places the user took out before it was written. */
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
    /** It could change nothing. Absent in what earlier versions stored. */
    isReadOnly: z.boolean().optional(),
    /** Of a command in the background, once it has ended. */
    ended: CommandEnding.optional(),
    /** It ran in a copy of the folder. */
    sandboxed: SandboxedView.optional(),
  }),
])
export type ToolResultView = z.infer<typeof ToolResultView>
