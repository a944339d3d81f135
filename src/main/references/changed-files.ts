import type { KnownFile } from '../../shared/domain/file-reference.ts'
import { isAppError } from '../../shared/errors.ts'
import type { PromptEntry } from '../agent/model/prompt-entry.ts'
import type { ReadLedger } from '../tools/read-ledger.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

/** Larger files were not attached. Units: bytes. */
const limitReadBytes = 64_000_000
/** Stands for the hash of a file that is no longer there. */
const gone = 'gone'

/**
 * The files that the prompt shows and that are another content now, which the model has not seen by itself
 * either; each once for each content. `except`: attached again just now.
 */
export async function changedFiles(
  log: readonly PromptEntry[],
  { operations, ledger }: { operations: Pick<ToolOperations, 'read'>; ledger: Pick<ReadLedger, 'knows'> },
  except: ReadonlySet<string>,
): Promise<KnownFile[]> {
  const shown = new Map<string, string>()
  for (const { file } of log) if (file !== undefined) shown.set(file.path, file.hash)
  const changed: KnownFile[] = []
  for (const [path, hash] of shown) {
    if (except.has(path)) continue
    const now = await hashNow(path, operations)
    if (now !== hash && !ledger.knows(path, now)) changed.push({ path, hash: now, from: 0, to: 0 })
  }
  return changed
}

async function hashNow(path: string, operations: Pick<ToolOperations, 'read'>): Promise<string> {
  try {
    return (await operations.read(path, limitReadBytes)).hash
  } catch (error) {
    if (isAppError(error)) return gone
    throw error
  }
}
