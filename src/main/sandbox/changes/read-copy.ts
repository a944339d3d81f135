import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '../../platform/files/content-hash.ts'
import { limitChangedBytes, nodeDisk } from '../../platform/files/disk.ts'
import { foldersAbove } from '../../platform/files/real-path.ts'
import type { CopyLayer } from '../layer-copy.ts'
import type { SandboxRun } from '../sandbox.ts'
import { type Effects, type EffectsDeps, readEffects } from './read-effects.ts'
import type { UpperChange } from './read-upper.ts'

/**
 * The differences between the project and the copy with a layer in which a command ran.
 *
 * Shape: `files` with where their bytes lie; `gone` were there in the project or in the layer. `ignored`: paths that
 * the ignore files name, with their topmost ignored folder. `folders` are new. `oddFolders` were made with nothing in
 * them or removed, and are not ignored, or were made with permissions other than those of a usual new folder. `conflicts` were changed by somebody else meanwhile; `left` is what no layer
 * holds.
 */
export type CopyEffects = {
  files: { path: string; content: string; mode: number; isModeNew: boolean; sizeBytes: number }[]
  gone: string[]
  folders: string[]
  oddFolders: string[]
  ignored: ReadonlyMap<string, string>
  conflicts: string[]
  left: Effects['left']
}

/** Reads what a run with a layer left behind. Errors: as `readEffects`. */
export async function readCopy(run: SandboxRun, layer: CopyLayer, deps: EffectsDeps): Promise<CopyEffects> {
  const isAsSeen = (path: string): Promise<boolean> => equalsLayer(run.project, layer, path)
  const { changes, ignored, conflicts, left, newFolders, ...own } = await readEffects(run, {
    ...deps,
    isAsSeen,
  })
  const upper = join(run.folder, 'upper')
  const effects: CopyEffects = {
    files: [],
    gone: [],
    folders: newFolders,
    oddFolders: [],
    ignored: new Map(
      ignored.flatMap((part) =>
        part.changes.flatMap(({ kind, path }) => (kind === 'folder' ? [] : [[path, part.top] as const])),
      ),
    ),
    conflicts,
    left,
  }
  const all: UpperChange[] = [...changes, ...ignored.flatMap((part) => part.changes)]
  for (const change of all) {
    const { path } = change
    if (change.kind === 'gone') effects.gone.push(path)
    else if (change.kind === 'folder') continue
    else if (change.kind === 'link') effects.left.push({ path, kind: 'link' })
    else {
      const { mode, lowerMode, sizeBytes } = change
      effects.files.push({ path, content: join(upper, path), mode, isModeNew: mode !== lowerMode, sizeBytes })
    }
  }
  const filled = new Set([...effects.files, ...left].flatMap(({ path }) => foldersAbove(path)))
  for (const { path } of layer.files) for (const above of foldersAbove(path)) filled.add(above)
  for (const path of layer.folders) filled.add(path)
  const bare = own.madeFolders.filter((path) => !filled.has(path))
  const restricted = await withOtherModes(run.folder, newFolders)
  effects.oddFolders = [...new Set([...own.goneFolders, ...bare, ...restricted])]
  const named = new Set([...all.map(({ path }) => path), ...conflicts, ...left.map(({ path }) => path)])
  for (const { path } of layer.files)
    if (!named.has(path) && (await nodeDisk.lstat(join(upper, path))) === undefined) effects.gone.push(path)
  return effects
}

/** Returns new folders with permissions that a folder does not get by itself from this process. */
async function withOtherModes(runFolder: string, newFolders: readonly string[]): Promise<string[]> {
  if (newFolders.length === 0) return []
  const sample = join(runFolder, 'sample')
  await mkdir(sample, { recursive: true })
  const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777
  const usual = await modeOf(sample)
  const found: string[] = []
  for (const path of newFolders)
    if ((await modeOf(join(runFolder, 'upper', path))) !== usual) found.push(path)
  return found
}

/** True where a path of the project equals that of the layer: an acceptance wrote it while the command ran. */
async function equalsLayer(project: string, layer: CopyLayer, path: string): Promise<boolean> {
  const laid = layer.files.find((file) => file.path === path)
  if (laid === undefined)
    return layer.gone.includes(path) && (await nodeDisk.lstat(join(project, path))) === undefined
  try {
    const [now, seen] = await Promise.all(
      [join(project, path), laid.content].map((file) => nodeDisk.readPlain(file, limitChangedBytes)),
    )
    return now !== undefined && seen !== undefined && contentHash(now) === contentHash(seen)
  } catch {
    // A path that cannot be read does not equal the layer's file.
    return false
  }
}
