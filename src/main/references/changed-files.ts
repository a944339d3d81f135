import { goneHash } from '../../shared/domain/session/file-reference.ts'
import { onAppError } from '../../shared/errors.ts'
import { sortedByPath } from '../platform/files/natural-order.ts'
import { inOrder } from '../platform/in-order.ts'
import { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { ReadLedger } from '../tools/edits/read-ledger.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

/** Larger files were not attached. Units: bytes. */
const limitReadBytes = 64_000_000
/** Maximum number of the files that the model knows, newest first, that are checked. */
const mostFiles = 100
const filesAtOnce = 4

type Place = {
  operations: Pick<ToolOperations, 'read' | 'stamp'>
  ledger: Pick<ReadLedger, 'filesKnown' | 'isNews'>
}

/**
 * Finds the files that the model knows and whose content has changed without the model having seen or been told it.
 *
 * A file whose stamp is that of the last check is not read again.
 */
export function createChangedFiles({ operations, ledger }: Place) {
  const known = new Map<string, { stamp: string; hash: string }>()

  async function hashNow(path: string, lookups: SharedLookups): Promise<string> {
    const stamp = await operations.stamp(path, lookups)
    const before = known.get(path)
    if (before?.stamp === stamp) return before.hash
    const { hash } = await operations.read(path, limitReadBytes, lookups)
    known.set(path, { stamp, hash })
    return hash
  }

  return async () => {
    const lookups = new SharedLookups()
    try {
      const changed: { path: string; hash: string }[] = []
      const current = inOrder(
        ledger.filesKnown().slice(0, mostFiles),
        async (path) => ({ path, hash: await hashNow(path, lookups).catch(onAppError(goneHash)) }),
        { items: filesAtOnce },
      )
      for await (const file of current) if (ledger.isNews(file.path, file.hash)) changed.push(file)
      return sortedByPath(changed, ({ path }) => path)
    } finally {
      await lookups.close()
    }
  }
}
