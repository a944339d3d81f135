import { dirname, join } from 'node:path'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import { isAbsolutePath } from '../../tools/defining/root-path.ts'
import type { Layer, StoredBytes } from './layer.ts'
import { type PrivateFiles, removeTree } from './private-files.ts'

type Tree = { version: number; top: string; ready: Promise<void>; users: number; isRemoved: boolean }

/** Returns the place of a path in a view: of a project path, or of a path in an added folder. */
export function placeInView(top: string, path: string): string {
  if (path === '.') return join(top, 'own')
  if (!isAbsolutePath(path)) return join(top, 'own', path)
  return join(top, 'added', path.replace(/^([A-Za-z]):/, '/$1'))
}

export type OverlayView = ReturnType<typeof createOverlayView>

/**
 * Returns the view of a layer: its files under their own names, for programs that search folders. They are made at its first use after a change; the ones before are removed when
 * they are no longer used.
 *
 * Shape: `name` is that of its folder among the private files.
 */
export function createOverlayView(disk: Disk, layer: Layer, files: PrivateFiles, name: string) {
  let current: Tree | null = null

  async function fill(top: string): Promise<void> {
    const made = new Set<string>()
    const makeFolder = async (path: string): Promise<void> => {
      if (!made.has(path)) await disk.makeFolder(path, 0o700)
      made.add(path)
    }
    await makeFolder(placeInView(top, '.'))
    for (const [path, node] of layer.all()) {
      if (node.kind === 'gone') continue
      const place = placeInView(top, path)
      await makeFolder(node.kind === 'folder' ? place : dirname(place))
      if (node.kind === 'file') await linkTo(disk, files, node.stored, place)
    }
  }

  function treeNow(): Tree {
    const { version } = layer
    if (current?.version === version) return current
    const top = join(files.folder, `${name}-${version}`)
    const ready = removeTree(disk, top).then(() => fill(top))
    current = { version, top, ready, users: 0, isRemoved: false }
    return current
  }

  async function removeUnused(tree: Tree): Promise<void> {
    if (tree.users > 0 || tree === current || tree.isRemoved) return
    tree.isRemoved = true
    await removeTree(disk, tree.top)
  }

  return {
    /** Shape: `top` holds the files as they are now and stays as it is while `work` runs. */
    async use<T>(work: (top: string) => Promise<T>): Promise<T> {
      const before = current
      const tree = treeNow()
      tree.users++
      try {
        await tree.ready.catch((error: unknown) => {
          // The next search tries again.
          if (current === tree) current = null
          throw toFileError(error, '.')
        })
        return await work(tree.top)
      } finally {
        tree.users--
        await removeUnused(tree)
        if (before !== null) await removeUnused(before)
      }
    },
  }
}

/** Makes a hard link where the file system has them, else a copy. */
async function linkTo(disk: Disk, files: PrivateFiles, stored: StoredBytes, place: string): Promise<void> {
  try {
    await disk.link(files.pathOf(stored), place)
  } catch (error) {
    const isUnknown = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(errorCode(error) ?? '')
    if (!isUnknown) throw error
    await disk.writeNew(place, await files.get(stored), { mode: 0o600 })
  }
}
