import type { KnownFile } from '../../shared/domain/session/file-reference.ts'
import { isAppError } from '../../shared/errors.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import { inOrder } from '../platform/in-order.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { ReadLedger } from '../tools/edits/read-ledger.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

/** Larger files were not attached. Units: bytes. */
const limitReadBytes = 64_000_000
/** Of the files that the model has read itself, so many of the newest are looked at. */
const mostReadFiles = 100
/** Stands for the hash of a file that only the ledger knows. */
const seenByItself = ''
/** Files that are read at once. */
const readAhead = 4
/** Stands for the hash of a file that is no longer there. */
const gone = 'gone'

/**
 * The files that the prompt shows, or that the model has read or written itself, and that are another content now,
 * which it has not seen; each once for each content. `except`: attached again just now.
 */
export async function changedFiles(
  log: readonly PromptEntry[],
  {
    operations,
    ledger,
  }: { operations: Pick<ToolOperations, 'read'>; ledger: Pick<ReadLedger, 'knows' | 'filesInUse'> },
  except: ReadonlySet<string>,
): Promise<KnownFile[]> {
  const shown = new Map<string, string>()
  for (const { file } of log) if (file !== undefined) shown.set(file.path, file.hash)
  for (const { path } of ledger.filesInUse().slice(0, mostReadFiles))
    if (!shown.has(path)) shown.set(path, seenByItself)
  const changed: KnownFile[] = []
  const lookups = new SharedLookups()
  try {
    const asked = [...shown].filter(([path]) => !except.has(path))
    const hashes = inOrder(
      asked,
      async ([path, hash]) => ({ path, hash, now: await hashNow(path, operations, lookups) }),
      { items: readAhead },
    )
    for await (const { path, hash, now } of hashes) {
      if (now !== hash && !ledger.knows(path, now)) changed.push({ path, hash: now, from: 0, to: 0 })
    }
    return changed
  } finally {
    await lookups.close()
  }
}

async function hashNow(
  path: string,
  operations: Pick<ToolOperations, 'read'>,
  lookups: SharedLookups,
): Promise<string> {
  try {
    return (await operations.read(path, limitReadBytes, lookups)).hash
  } catch (error) {
    if (isAppError(error)) return gone
    throw error
  }
}
