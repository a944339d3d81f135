import { basename, dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { isTempFileName } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { Disk } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { foldersFirst } from '../platform/files/natural-order.ts'
import { type ResolvedPath, readPinned, resolveInside } from '../platform/files/real-path.ts'
import type { SharedLookups } from '../platform/node/shared-lookups.ts'
import { limitListed } from '../tools/defining/result-text.ts'
import type {
  CommandOutcome,
  CommandRequest,
  FolderEntry,
  FoundPath,
  ToolOperations,
} from '../tools/tool-operations.ts'
import type { ChangeSets } from './apply-change-set.ts'
import { createWorkspaceSearch } from './search/workspace-search.ts'
import { applyWithDocuments } from './writable-folder.ts'

/** Runs a session's commands. Shape: `folder` is the real absolute path to run in. */
export type WorkspaceCommands = Pick<ToolOperations, 'askedRun' | 'commandOutput' | 'stopCommand'> & {
  execute(
    command: Omit<CommandRequest, 'folder'> & { folder: string },
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandOutcome>
}

type Documents = Pick<
  DocumentService,
  'flush' | 'saveAll' | 'beginChange' | 'fileChanged' | 'fileMoved' | 'fileRemoved'
>

type Deps = {
  /** The folder's real path. */
  root: string
  disk: Disk
  documents: Documents
  changeSets: Pick<ChangeSets, 'apply' | 'settled'>
  commands: WorkspaceCommands
  /** Absent: the usual one. */
  timeoutMs?: number
}

/** Creates the operations of a session's tools on a real folder; unsaved text of the window is saved first. */
export function createWorkspaceOperations(deps: Deps): ToolOperations {
  const { disk, documents, commands } = deps
  const search = createWorkspaceSearch(deps)
  const resolve = (path: string, lookups?: SharedLookups): Promise<ResolvedPath> => {
    // A shell would expand `~` to the user's home; a folder of that name is not meant.
    if (/^~(?:$|[/\\])/.test(path)) throw new AppError({ code: 'file/outside', path })
    return resolveInside(disk, deps.root, path, lookups)
  }
  const isLinkItself = async (path: string, place: ResolvedPath, lookups: SharedLookups | undefined) => {
    // Where the real path is the one asked for, no step of it is a link.
    if (place.path === path || place.path === '') return false
    const folder = await resolve(dirname(path), lookups)
    return (await disk.lstat(join(folder.absolute, basename(path))))?.isSymbolicLink() ?? false
  }

  return {
    async locate(path, lookups) {
      const place = await resolve(path, lookups)
      return named(place, async () => {
        const isLink = await isLinkItself(path, place, lookups)
        return { ...(await found(disk, deps.root, place)), isLink }
      })
    },
    async read(path, limitBytes, lookups) {
      const place = await resolve(path, lookups)
      return named(place, async () => {
        if (!place.isPresent) throw new AppError({ code: 'file/not-found', path: place.path })
        await documents.flush(place.absolute)
        const bytes = await readPinned(disk, place, limitBytes, lookups)
        // Where folders cannot be pinned, this last check tells whether the path led elsewhere meanwhile.
        if (process.platform !== 'linux' && (await resolve(path, lookups)).absolute !== place.absolute)
          throw new AppError({ code: 'file/outside', path })
        return { path: place.path, bytes, hash: contentHash(bytes) }
      })
    },
    async stamp(path, lookups) {
      const place = await resolve(path, lookups)
      return named(place, async () => {
        await documents.flush(place.absolute)
        const stats = place.isPresent ? await disk.lstat(place.absolute) : undefined
        if (stats === undefined) throw new AppError({ code: 'file/not-found', path: place.path })
        const { dev, ino, size, mtimeMs, ctimeMs } = stats
        return [dev, ino, size, mtimeMs, ctimeMs].join(' ')
      })
    },
    async list(path, options = {}) {
      const place = await resolve(path, options.lookups)
      if (!place.isPresent) throw new AppError({ code: 'file/not-found', path: place.path })
      return named(place, () => listPinned(disk, place.absolute, options))
    },
    async glob(pattern, limit, signal) {
      if (pattern.startsWith('~')) throw new AppError({ code: 'file/outside', path: pattern })
      return search.glob(pattern, limit, signal)
    },
    async grep(query, signal, isSearched) {
      await documents.saveAll()
      await resolve(query.path)
      return search.grep(query, signal, isSearched)
    },
    async apply(changes, note, entries = [], also = {}) {
      const { id, conflicts, waiting } = await applyWithDocuments(deps, { changes, note, entries, ...also })
      return { changeSetId: id, conflicts: [...new Set([...conflicts, ...waiting.map(({ path }) => path)])] }
    },
    async execute(command, onOutput, signal) {
      const place = await resolve(command.folder)
      // A link leads to another place, though inside the folder, than the one that was consented to.
      if ((place.path || '.') !== command.folder)
        throw new AppError({ code: 'file/outside', path: command.folder })
      if (!(await disk.stat(place.absolute))?.isDirectory())
        throw new AppError({ code: 'file/not-found', path: command.folder })
      await documents.saveAll()
      return commands.execute({ ...command, folder: place.absolute }, onOutput, signal)
    },
    askedRun: commands.askedRun,
    commandOutput: commands.commandOutput,
    stopCommand: commands.stopCommand,
  }
}

async function found(disk: Disk, root: string, place: ResolvedPath): Promise<Omit<FoundPath, 'isLink'>> {
  const path = place.path === '' ? '.' : place.path
  const stats = place.isPresent ? await disk.lstat(place.absolute) : undefined
  if (stats === undefined)
    return { path, kind: 'none', sizeBytes: null, missing: await missing(disk, root, place) }
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
  return { path, kind, sizeBytes: kind === 'file' ? stats.size : null, missing: [] }
}

async function missing(disk: Disk, root: string, place: ResolvedPath): Promise<string[]> {
  const names: string[] = []
  const top = await disk.realPath(root)
  for (let at = place.absolute; at !== top && (await disk.lstat(at)) === undefined; at = dirname(at)) {
    names.unshift(basename(at))
    if (dirname(at) === at) break
  }
  return names
}

async function listPinned(
  disk: Disk,
  absolute: string,
  { isNamesOnly = false, lookups }: { isNamesOnly?: boolean; lookups?: SharedLookups },
): Promise<FolderEntry[]> {
  const folder = await (lookups?.pinFolder(disk, absolute) ?? disk.pinFolder(absolute))
  try {
    const entries = (await disk.list(folder.path)).filter(({ name }) => !isTempFileName(name))
    const listed = entries.slice(0, limitListed).map(async (entry): Promise<FolderEntry> => {
      const { name } = entry
      if (entry.isDirectory()) return { name, kind: 'folder', sizeBytes: null }
      if (entry.isSymbolicLink()) return { name, kind: 'link', sizeBytes: null }
      if (!entry.isFile()) return { name, kind: 'other', sizeBytes: null }
      const stats = isNamesOnly ? undefined : await disk.lstat(join(folder.path, name))
      return { name, kind: 'file', sizeBytes: stats?.size ?? null }
    })
    return foldersFirst(await Promise.all(listed))
  } finally {
    await folder.close()
  }
}

/** Names the place of an error as tools do, so that the folder's location is not disclosed. */
async function named<T>({ path }: ResolvedPath, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const error = toFileError(cause, path)
    throw 'path' in error.info ? new AppError({ ...error.info, path }, { cause: error }) : error
  }
}
