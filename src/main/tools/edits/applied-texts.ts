import { AppError, onAppError } from '../../../shared/errors.ts'
import type { FileContent, ToolOperations } from '../tool-operations.ts'
import { limitEditBytes, respellText, textOf, withLf } from './respell-text.ts'

export type AppliedTexts = ReturnType<typeof createAppliedTexts>

/** The command *Apply to file*, with which the user writes a piece of a conversation into a file. */
export function createAppliedTexts(
  operationsIn: (workId: string) => Pick<ToolOperations, 'locate' | 'read' | 'apply'>,
) {
  return {
    /**
     * Returns a file as it is now, to compare before it is overwritten. Shape: both null where there is no such file.
     *
     * Errors: `file/not-text`, `file/too-large`, `file/outside`, `file/denied`.
     */
    async now(workId: string, path: string): Promise<{ text: string | null; hash: string | null }> {
      const file = await contentOf(operationsIn(workId), path)
      return file === null ? { text: null, hash: null } : { text: textOf(file.bytes, path), hash: file.hash }
    },
    /**
     * Writes the text in the file's own spelling. Shape: `undoId` is the id of the change set, for undoing the write.
     *
     * Errors: `file/changed` where the file is no longer what was compared; `file/unencodable`, `file/denied`.
     */
    async apply(
      workId: string,
      { path, hash, text }: { path: string; hash: string | null; text: string },
    ): Promise<{ undoId: string }> {
      const operations = operationsIn(workId)
      const file = await contentOf(operations, path)
      if ((file?.hash ?? null) !== hash) throw new AppError({ code: 'file/changed', path })
      const bytes = respellText(file?.bytes ?? null, withLf(text), path)
      const place = file?.path ?? (await operations.locate(path)).path
      const change = { kind: 'write' as const, path: place, baseHash: hash, bytes }
      const { changeSetId, conflicts } = await operations.apply([change], 'apply text')
      if (conflicts.length > 0) throw new AppError({ code: 'file/changed', path })
      return { undoId: changeSetId }
    },
  }
}

function contentOf(operations: Pick<ToolOperations, 'read'>, path: string): Promise<FileContent | null> {
  return operations.read(path, limitEditBytes).catch(onAppError(null, 'file/not-found'))
}
