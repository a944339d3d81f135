import { dirname, join } from 'node:path'
import { foldersAbove } from '../../platform/files/real-path.ts'
import type { SandboxRun } from '../sandbox.ts'
import { changedSince, heldFiles } from './disturbed-paths.ts'
import { ignoredPaths } from './ignored-paths.ts'
import { type DroppedKind, readUpper, type UpperChange } from './read-upper.ts'

/** Changes below one ignored folder, or of one ignored file. Units: bytes of the files that are there now. */
export type IgnoredPart = {
  top: string
  changes: UpperChange[]
  files: number
  sizeBytes: number
  /** A link in it leads out of the project. */
  leadsOut: boolean
}

/** A path that is not applied, and why. Shape: `place`: it cannot be put into its place. */
export type LeftPath = { path: string; kind: DroppedKind | 'link' | 'place' }

/**
 * The changes of a command to a project.
 *
 * Shape: `changes` become a change set; `ignored` is moved into place. `conflicts` are paths that somebody else changed
 * while it ran, or holds; `left` is what is never applied. `newFolders` as of `UpperFinding`; `madeFolders` and
 * `goneFolders` are those that are not ignored.
 */
export type Effects = {
  changes: Exclude<UpperChange, { kind: 'folder' }>[]
  ignored: IgnoredPart[]
  conflicts: string[]
  left: LeftPath[]
  newFolders: string[]
  madeFolders: string[]
  goneFolders: string[]
}

export type EffectsDeps = {
  dataDir: string
  environment: Readonly<Record<string, string>>
  /** Files that are asked about wherever they lie. */
  isAsked(path: string): boolean
  /** True where a path was written while the command ran, with the content that the command saw. Absent: never. */
  isAsSeen?(path: string): Promise<boolean>
}

/** Reads what a run changed, and sorts it by what becomes of it. Errors: as `readUpper`. */
export async function readEffects(
  run: Pick<SandboxRun, 'folder' | 'project' | 'merged' | 'beganAtNs'>,
  deps: EffectsDeps,
): Promise<Effects> {
  const { changes, dropped, newFolders, goneFolders } = await readUpper(run)
  const folders = [...newFolders, ...goneFolders]
  const ignored = await ignoredTops(run.project, changes, folders, deps)
  const isTracked = (path: string): boolean => !ignored.has(`${path}/`)
  const parts = new Map<string, IgnoredPart>()
  const effects: Effects = {
    changes: [],
    ignored: [],
    conflicts: [],
    left: [...dropped],
    newFolders,
    madeFolders: newFolders.filter(isTracked),
    goneFolders: goneFolders.filter(isTracked),
  }
  const [held, changed] = await Promise.all([
    heldFiles(run.project, changes),
    changedSince(run, changes, (path) => ignored.has(path)),
  ])
  for (const change of changes) {
    const { path } = change
    const top = ignored.get(path)
    const isConflict = held.has(path) || (changed.has(path) && (await deps.isAsSeen?.(path)) !== true)
    if (isConflict) effects.conflicts.push(path)
    else if (top !== undefined) addTo(parts, top, change)
    else if (change.kind !== 'folder') effects.changes.push(change)
  }
  const filled = new Set([...changes.map(({ path }) => path), ...newFolders].flatMap(foldersAbove))
  for (const path of newFolders) {
    const top = ignored.get(`${path}/`)
    if (top !== undefined && !filled.has(path)) addTo(parts, top, { kind: 'folder', path })
  }
  effects.ignored = [...parts.values()]
  return effects
}

/** Folders of dependencies, which contain settings of editors and builds that are not in use there. */
const dependencies = /(?:^|\/)node_modules\//

/** Returns for each ignored path its topmost ignored folder, else the path itself. Shape: a folder ends in `/`. */
async function ignoredTops(
  root: string,
  changes: readonly UpperChange[],
  changedFolders: readonly string[],
  deps: EffectsDeps,
): Promise<Map<string, string>> {
  const candidates = changes.filter(({ path }) => dependencies.test(path) || !deps.isAsked(path))
  const above = [...candidates.map(({ path }) => path), ...changedFolders].flatMap(foldersAbove)
  const folders = new Set([...above, ...changedFolders].map((folder) => `${folder}/`))
  const ignored = await ignoredPaths({
    ...deps,
    root,
    paths: [...folders, ...candidates.map(({ path }) => path)],
  })
  const tops = new Map<string, string>()
  const note = (path: string, name: string): void => {
    if (!ignored.has(name)) return
    tops.set(name, foldersAbove(path).find((folder) => ignored.has(`${folder}/`)) ?? path)
  }
  for (const { path } of candidates) note(path, path)
  for (const path of changedFolders) note(path, `${path}/`)
  return tops
}

function addTo(parts: Map<string, IgnoredPart>, top: string, change: UpperChange): void {
  const part = parts.get(top) ?? { top, changes: [], files: 0, sizeBytes: 0, leadsOut: false }
  part.changes.push(change)
  part.files += 1
  if (change.kind === 'file') part.sizeBytes += change.sizeBytes
  if (change.kind === 'link') part.leadsOut ||= leadsOut(change.path, change.target)
  parts.set(top, part)
}

/** Returns whether a link leads out of the project by its text; does not examine its target. */
export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith('/')) return true
  const resolved = join(dirname(path), target)
  return resolved === '..' || resolved.startsWith('../')
}
