import { chmod, copyFile, lstat, mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Changes that are laid over a project before a command runs in a copy of it.
 *
 * Shape: paths relative to the project. `content` is the path of a file's bytes; its times are kept, since builds
 * compare them. `gone`: files that the copy does not have.
 */
export type CopyLayer = {
  files: readonly { path: string; content: string; mode: number }[]
  folders: readonly string[]
  gone: readonly string[]
}

/** Names in the run's folder. */
const layerNames = { files: 'over', gone: 'gone' } as const

/**
 * Writes a layer into the folder of a run, where the mount script finds it.
 *
 * Shape: folders get the permissions of the project's folders that they cover. Errors: Node's own.
 */
export async function writeLayer(runFolder: string, project: string, layer: CopyLayer): Promise<void> {
  const isEmpty = [layer.files, layer.folders, layer.gone].every((list) => list.length === 0)
  if (isEmpty) return
  const top = join(runFolder, layerNames.files)
  const made = new Set<string>()
  const makeFolder = async (path: string): Promise<void> => {
    if (made.has(path)) return
    made.add(path)
    if (path !== '.') await makeFolder(dirname(path))
    await mkdir(join(top, path), { recursive: true })
    const covered = await lstat(join(project, path)).catch(() => undefined)
    if (covered?.isDirectory()) await chmod(join(top, path), covered.mode & 0o777)
  }
  await makeFolder('.')
  for (const path of layer.folders) await makeFolder(path)
  for (const { path, content, mode } of layer.files) {
    await makeFolder(dirname(path))
    const place = join(top, path)
    await copyFile(content, place)
    await chmod(place, mode)
    const { atime, mtime } = await lstat(content)
    await utimes(place, atime, mtime)
  }
  await writeFile(join(runFolder, layerNames.gone), layer.gone.map((path) => `./${path}\0`).join(''), {
    mode: 0o600,
  })
}
