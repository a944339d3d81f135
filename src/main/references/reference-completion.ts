import { delay } from '../../shared/delay.ts'
import type { Clock, Log } from '../deps.ts'
import { indexPaths, type PathIndex } from './path-index.ts'
import { rankPaths } from './rank-paths.ts'

export type CompletionDeps = {
  clock: Clock
  log: Log
  /** Lists the files of a folder except those that Git ignores, in no order. Errors: `file/…`. */
  listFiles(root: string, signal: AbortSignal): Promise<string[]>
}

type CompletionQuery = { query: string; limit: number; openPaths: readonly string[] }

/** Completes paths behind an `@`, by folder. */
export type ReferenceCompletion = ReturnType<typeof createReferenceCompletion>

type Folder = {
  index: PathIndex | null
  isStale: boolean
  readAt: number
  reading: Promise<void> | null
  /** Last used first. */
  used: string[]
}

/** Time limit of the first answer; larger folders are read on in the background. Units: ms. */
const firstWaitMs = 300
/** Age from which a list is read again when completion begins, to find changes by other programs. Units: ms. */
const freshMs = 10_000
const keptFolders = 3
const keptUsed = 200

export function createReferenceCompletion({ clock, log, listFiles }: CompletionDeps) {
  /** In order of use, oldest first. */
  const folders = new Map<string, Folder>()
  const ending = new AbortController()

  function folderAt(root: string): Folder {
    const folder = folders.get(root) ?? { index: null, isStale: true, readAt: 0, reading: null, used: [] }
    folders.delete(root)
    folders.set(root, folder)
    const [oldest] = folders.keys()
    if (folders.size > keptFolders && oldest !== undefined) folders.delete(oldest)
    return folder
  }

  function read(root: string, folder: Folder): Promise<void> {
    folder.reading ??= readNow(root, folder).finally(() => {
      folder.reading = null
    })
    return folder.reading
  }

  async function readNow(root: string, folder: Folder): Promise<void> {
    folder.isStale = false
    folder.readAt = clock.now()
    try {
      folder.index = indexPaths(await listFiles(root, ending.signal))
    } catch (error) {
      folder.isStale = true
      // Nothing is offered then; typed paths are still resolved at submit, which reports the error.
      if (!ending.signal.aborted) log.write('warn', 'reference.index-failed', { error: String(error) })
    }
  }

  return {
    /** Waits for the first reading of a folder only so long that the window does not seem to hang. */
    async complete(root: string, { query, limit, openPaths }: CompletionQuery) {
      const folder = folderAt(root)
      const isOld = clock.now() - folder.readAt > freshMs && query === ''
      const reading = folder.isStale || isOld || folder.reading !== null ? read(root, folder) : null
      if (folder.index === null && reading !== null) await Promise.race([reading, delay(clock, firstWaitMs)])
      const recent = [...new Set([...openPaths, ...folder.used])]
      const candidates = folder.index === null ? [] : rankPaths(folder.index, query, recent, limit)
      return { candidates, isComplete: folder.reading === null && folder.index !== null }
    },
    /** Reads a known folder again when the window gets the focus. */
    refresh(root: string): void {
      const folder = folders.get(root)
      if (folder?.index != null) void read(root, folder)
    },
    /** Notes that files may have been added or removed: the folder is read again before the next completion. */
    noteChange(root: string): void {
      const folder = folders.get(root)
      if (folder !== undefined) folder.isStale = true
    },
    noteUse(root: string, path: string): void {
      const folder = folderAt(root)
      folder.used = [path, ...folder.used.filter((used) => used !== path)].slice(0, keptUsed)
    },
    close: (): void => ending.abort(),
  }
}
