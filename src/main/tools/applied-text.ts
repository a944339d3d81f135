import { AppError, isAppError } from '../../shared/errors.ts'
import { limitEditBytes, respellText, textOf, withLf } from './respell-text.ts'
import type { FileContent, ToolOperations } from './tool-operations.ts'

/** A file as it is, to compare before it is written over. Shape: both null where there is no such file. */
export type TextNow = { text: string | null; hash: string | null }

/** Errors: `file/not-text`, `file/too-large`, `file/outside`, `file/denied`. */
export async function textNow(operations: ToolOperations, path: string): Promise<TextNow> {
  const file = await contentOf(operations, path)
  return file === null ? { text: null, hash: null } : { text: textOf(file.bytes, path), hash: file.hash }
}

/**
 * The user's own *apply to file*: the text in the file's spelling, undone by the id of its change set.
 *
 * Errors: `file/changed` where the file is no longer what was compared; `file/unencodable`, and as `apply`.
 */
export async function applyText(
  operations: ToolOperations,
  { path, hash, text }: { path: string; hash: string | null; text: string },
): Promise<{ undoId: string }> {
  const file = await contentOf(operations, path)
  if ((file?.hash ?? null) !== hash) throw new AppError({ code: 'file/changed', path })
  const bytes = respellText(file?.bytes ?? null, withLf(text), path)
  const change = { kind: 'write' as const, path: file?.path ?? path, baseHash: hash, bytes }
  const { changeSetId, conflicts } = await operations.apply([change], 'apply text')
  if (conflicts.length > 0) throw new AppError({ code: 'file/changed', path })
  return { undoId: changeSetId }
}

async function contentOf(operations: ToolOperations, path: string): Promise<FileContent | null> {
  try {
    return await operations.read(path, limitEditBytes)
  } catch (error) {
    if (isAppError(error, 'file/not-found')) return null
    throw error
  }
}
