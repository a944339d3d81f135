import { AppError, type ErrorInfo, isAppError } from '../../shared/errors.ts'
import type { Disk } from '../platform/files/disk.ts'
import { addedFolderOf, isAbsolutePath, pathBelow, pathIn } from '../tools/defining/root-path.ts'
import type { GrepFinding, ToolOperations } from '../tools/tool-operations.ts'

type FolderOperations = { root: string; operations: ToolOperations }

/**
 * Joins the folders of a session: its own has relative paths, those that were added have absolute ones.
 *
 * Each path goes to the folder that it really lies in; where that is none of them, it is refused. Searches without an
 * absolute path are about the session's own folder. Shape: `added` are real paths, as of now.
 * Errors: `folder/gone` for what lies in an added folder that is gone, or leads elsewhere.
 */
export function createSeveralFolders(deps: {
  own: FolderOperations
  added(): readonly string[]
  operationsIn(root: string): ToolOperations
}): ToolOperations {
  const { own, added, operationsIn } = deps

  const folderOf = (root: string): FolderOperations => ({ root, operations: operationsIn(root) })

  /** Names a path as the session does, whichever folder found it. */
  const nameOf = (root: string, below: string): string => {
    if (root === own.root) return below
    const path = pathIn(root, below)
    return pathBelow(own.root, path) ?? path
  }

  async function inFolderOf<T>(path: string, use: (folder: FolderOperations, path: string) => Promise<T>) {
    try {
      return await use(own, path)
    } catch (error) {
      // A path that a shell would expand to the user's home lies in none of the folders.
      if (!isAppError(error, 'file/outside') || path.startsWith('~')) throw error
      return inAddedFolderOf(isAbsolutePath(path) ? path : pathIn(own.root, path), use, error)
    }
  }

  async function inAddedFolderOf<T>(
    path: string,
    use: (folder: FolderOperations, path: string) => Promise<T>,
    refusal: AppError,
  ): Promise<T> {
    for (const root of [...added()].sort((a, b) => b.length - a.length)) {
      try {
        return await use(folderOf(root), path)
      } catch (error) {
        const isElsewhere = isAppError(error, 'folder/gone') && pathBelow(root, path) === null
        if (!isElsewhere && !isAppError(error, 'file/outside')) throw named(error, root)
      }
    }
    throw refusal
  }

  /** Returns the folder of a path from `locate`. Errors: `file/outside` where the folder is no longer added. */
  const folderAt = (path: string): FolderOperations & { path: string } => {
    if (!isAbsolutePath(path)) return { ...own, path }
    const root = addedFolderOf(added(), path)
    const below = root === undefined ? null : pathBelow(root, path)
    if (root === undefined || below === null) throw new AppError({ code: 'file/outside', path })
    return { ...folderOf(root), path: below }
  }

  return {
    ...own.operations,
    locate: (path, lookups) =>
      inFolderOf(path, async ({ root, operations }, at) => {
        const found = await operations.locate(at, lookups)
        if (root === own.root) return found
        return { ...found, path: nameOf(root, found.path), root }
      }),
    read: (path, limitBytes, lookups) =>
      inFolderOf(path, async ({ root, operations }, at) => {
        const content = await operations.read(at, limitBytes, lookups)
        return { ...content, path: nameOf(root, content.path) }
      }),
    stamp: (path, lookups) => inFolderOf(path, ({ operations }, at) => operations.stamp(at, lookups)),
    list: (path, options) => inFolderOf(path, ({ operations }, at) => operations.list(at, options)),
    async glob(pattern, limit, signal) {
      const root = addedFolderOf([own.root, ...added()], pattern)
      if (root === undefined) return own.operations.glob(pattern, limit, signal)
      const { operations } = root === own.root ? own : folderOf(root)
      const { paths, isCut } = await operations.glob(pathBelow(root, pattern) ?? '', limit, signal)
      return { paths: paths.map((path) => nameOf(root, path)), isCut }
    },
    grep: (query, signal, isSearched) =>
      inFolderOf(query.path, async ({ root, operations }, path): Promise<GrepFinding> => {
        const isWanted = (below: string): boolean => isSearched?.(nameOf(root, below)) ?? true
        const finding = await operations.grep({ ...query, path }, signal, isWanted)
        const matches = finding.matches.map((match) => ({ ...match, path: nameOf(root, match.path) }))
        return { ...finding, matches }
      }),
    async apply(changes, note, entries = [], also = {}) {
      const places = changes.map(({ path }) => folderAt(path))
      const [first = { ...own, path: '' }] = places
      const { root, operations } = first
      const moved = changes.map((change, index) => {
        const at = places[index]
        const to = change.kind === 'move' ? folderAt(change.to) : undefined
        // A change set covers one folder, so that it can be finished after a crash, and taken back, as a whole.
        if (at?.root !== root || (to !== undefined && to.root !== root))
          throw new AppError({ code: 'file/outside', path: change.path })
        return change.kind === 'move'
          ? { ...change, path: at.path, to: to?.path ?? change.to }
          : { ...change, path: at.path }
      })
      try {
        const applied = await operations.apply(moved, note, root === own.root ? entries : [], also)
        return { ...applied, conflicts: applied.conflicts.map((path) => nameOf(root, path)) }
      } catch (error) {
        throw named(error, root)
      }
    },
    async execute(command, onOutput, signal) {
      const { root, operations, path } = folderAt(command.folder)
      try {
        return await operations.execute({ ...command, folder: path }, onOutput, signal)
      } catch (error) {
        throw named(error, root)
      }
    },
  }

  function named(error: unknown, root: string): unknown {
    if (root === own.root || !isAppError(error)) return error
    const info: ErrorInfo = error.info
    if (!('path' in info) || isAbsolutePath(info.path)) return error
    return new AppError({ ...info, path: nameOf(root, info.path) }, { cause: error })
  }
}

/**
 * Returns a disk for a folder that was added, which is usable only while its path still leads to that same folder.
 *
 * Errors: `folder/gone` where its name leads elsewhere, or nowhere.
 */
export function fixedFolder(disk: Disk, root: string): Disk {
  return {
    ...disk,
    async realPath(path) {
      if (path !== root) return disk.realPath(path)
      const real = await disk.realPath(path).catch(() => null)
      if (real !== root) throw new AppError({ code: 'folder/gone', path: root })
      return real
    },
  }
}
