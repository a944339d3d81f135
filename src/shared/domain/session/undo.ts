import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { EntryKind } from './tool-result.ts'

/** What a place gets: `current` lines, the `former` ones of before the assistant, or both in this order. */
export const UndoSide = z.enum(['current', 'former', 'both'])
export type UndoSide = z.infer<typeof UndoSide>

/** A place that assistant and user changed. `line`: of the current text, from 1; `written`: the assistant's. */
export const UndoPlace = z.object({
  index: z.int(),
  line: z.int(),
  former: z.string(),
  written: z.string(),
  current: z.string(),
})
export type UndoPlace = z.infer<typeof UndoPlace>

/**
 * The effect of an undo on a file.
 *
 * Shape: `path` is where the file is, or was before the assistant deleted it; `to` where it will be, null where it is
 * removed. `isOccupied`: another file has its former place by now. `keepsEdits`: the user changed it since, and what
 * the user wrote stays. `hash`: the content that the places are of. `isWhole`: the one place is the whole content,
 * which is no text. `isRemoved`: the user removed it, or moved and changed it, and it is left alone. `mode`: the
 * permission bits that it gets back, where the assistant changed them. `problem`: why nothing is done to it. `entry`:
 * it is no file.
 */
export const UndoFile = z.object({
  path: z.string(),
  to: z.string().nullable(),
  isOccupied: z.boolean(),
  keepsEdits: z.boolean(),
  hash: z.string().nullable(),
  places: z.array(UndoPlace),
  isWhole: z.boolean(),
  isRemoved: z.boolean(),
  mode: z.int().nullable(),
  problem: ErrorInfo.nullable(),
  entry: EntryKind.optional(),
})
export type UndoFile = z.infer<typeof UndoFile>

/** Effects of undoing a turn. `commands` (or MCP tools) ran in it; their changes are not undone. */
export const UndoPreview = z.object({
  turn: z.int(),
  messages: z.int(),
  files: z.array(UndoFile),
  commands: z.array(z.string()),
})
export type UndoPreview = z.infer<typeof UndoPreview>

/** The user's decision about a file. It counts for the content with this hash; other places stay as they are. */
export const UndoChoice = z.object({
  path: z.string(),
  hash: z.string(),
  places: z.array(z.object({ index: z.int(), side: UndoSide })),
})
export type UndoChoice = z.infer<typeof UndoChoice>

/**
 * The result of an undo, or of a redo.
 *
 * Shape: `kept` are files with places that stayed as they are, since nothing was decided for their present content;
 * `left` could not be changed. `canRedo`: files were changed, and `session.redo` takes that back.
 */
export const UndoResult = z.object({
  kept: z.array(z.string()),
  left: z.array(z.string()),
  canRedo: z.boolean(),
})
export type UndoResult = z.infer<typeof UndoResult>

/**
 * One file as a turn changed it, by all of the turn's edits together.
 *
 * Shape: `from` is its path before the turn where that was another one. `texts`: without and with the turn's changes,
 * each null where there was no file; null as a whole where they are no text, too long to show, or forgotten. For a
 * link (`entry`) they are its targets.
 */
export const TurnFile = z.object({
  path: z.string(),
  from: z.string().nullable(),
  texts: z.object({ old: z.string().nullable(), new: z.string().nullable() }).nullable(),
  entry: EntryKind.optional(),
})
export type TurnFile = z.infer<typeof TurnFile>
