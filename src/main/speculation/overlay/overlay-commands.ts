import { lstat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../../platform/files/disk.ts'
import type { CopyEffects } from '../../sandbox/changes/read-copy.ts'
import type { CopyLayer } from '../../sandbox/layer-copy.ts'
import { isAbsolutePath } from '../../tools/defining/root-path.ts'
import type {
  CommandOutcome,
  CommandRequest,
  CopiedChanges,
  ToolOperations,
} from '../../tools/tool-operations.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import type { CommandReads } from './command-reads.ts'
import type { Layer } from './layer.ts'
import type { OverlayPaths } from './overlay-paths.ts'
import { isIgnoreFile } from './overlay-search.ts'
import type { PrivateFiles } from './private-files.ts'

type Deps = {
  base: Pick<ToolOperations, 'read' | 'execute'>
  disk: Pick<Disk, 'readPlain'>
  layer: Layer
  paths: OverlayPaths
  files: PrivateFiles
  apply(changes: readonly FileChange[]): Promise<void>
  reads: Pick<CommandReads, 'before' | 'ran'>
  /** The uptake of the layer below; null where the folder itself is below. */
  below: Uptake | null
}

/** Shape: `isDisturbed`: somebody else changed its files meanwhile. */
type CopyRun = { outcome: CommandOutcome; isDisturbed: boolean }

/**
 * Runs a command in a copy of the folder with the layer over it, and takes its changes into the layer. Where the
 * layer below was written into the folder meanwhile, and that has disturbed the command, it runs once more.
 *
 * Shape: `isLeftOpen` where nothing of the command is kept: it was hindered or stopped, or changed what the layer
 * cannot hold, an ignore file that counts, or what was changed elsewhere meanwhile.
 */
export async function executeInCopy(
  deps: Deps,
  command: CommandRequest,
  onOutput: (text: string) => void,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { below } = deps
  for (;;) {
    await below?.settled()
    const times = below?.times
    const { outcome, isDisturbed } = await runInCopy(deps, command, onOutput, signal)
    if (!isDisturbed || times === below?.times) return outcome
  }
}

async function runInCopy(
  deps: Deps,
  command: CommandRequest,
  onOutput: (text: string) => void,
  signal: AbortSignal,
): Promise<CopyRun> {
  await deps.reads.before(signal)
  const over = layerOf(deps)
  const { copy, ...outcome } = await deps.base.execute({ ...command, over }, onOutput, signal)
  if (copy !== undefined) deps.reads.ran(Number(copy.beganAtNs / 1_000n) / 1_000)
  const left = (isDisturbed: boolean): CopyRun => ({ outcome: { ...outcome, isLeftOpen: true }, isDisturbed })
  try {
    const effects = copy?.effects ?? null
    const isHindered = outcome.sandboxed?.hindrance != null
    if (effects === null || isHindered || outcome.end === 'stopped') return left(false)
    if (effects.conflicts.length > 0) return left(true)
    // Output of the command that contains links (dependencies, an environment) does not work without them.
    if (effects.left.some(({ kind }) => kind === 'link')) return left(false)
    // An acceptance makes folders only for files, with the usual permissions, and removes none.
    if (effects.oddFolders.length > 0) return left(false)
    if (changesIgnoreFile(effects)) return left(false)
    return { outcome: { ...outcome, kept: await intoLayer(deps, effects) }, isDisturbed: false }
  } catch (error) {
    if (isAppError(error)) return left(isAppError(error, 'file/changed'))
    throw error
  } finally {
    await copy?.remove()
  }
}

/**
 * True where a command changed an ignore file that counts. One in an ignored folder decides nothing, and one in a folder
 * that the command made, as test runners do for their caches, names only what is new itself.
 */
function changesIgnoreFile({ files, gone, folders, ignored }: CopyEffects): boolean {
  const made = new Set(folders)
  // Git's own file counts for the whole folder.
  const isOwn = (path: string): boolean => made.has(dirname(path)) && !/\/exclude$/i.test(path)
  const changed = [...files.map(({ path }) => path).filter((path) => !isOwn(path)), ...gone]
  return changed.some((path) => isIgnoreFile(path) && [undefined, path].includes(ignored.get(path)))
}

/** Returns the layer in the form in which it is mounted. */
function layerOf({ layer, files }: Deps): CopyLayer {
  const over = { files: [] as CopyLayer['files'][number][], folders: [] as string[], gone: [] as string[] }
  for (const [path, node] of layer.all()) {
    if (isAbsolutePath(path)) continue
    if (node.kind === 'gone') over.gone.push(path)
    else if (node.kind === 'folder') over.folders.push(path)
    else over.files.push({ path, content: files.pathOf(node.stored), mode: node.mode & 0o777 })
  }
  return over
}

/** Takes the effects of a command into the layer. Errors: as `applyToLayer`. */
async function intoLayer(deps: Deps, effects: CopyEffects): Promise<CopiedChanges> {
  const { layer } = deps
  const changes: FileChange[] = []
  const kept: CopiedChanges = { files: [], ignored: [], left: effects.left }
  const note = (file: CopiedChanges['files'][number]): void => {
    const top = effects.ignored.get(file.path)
    if (top === undefined) kept.files.push(file)
    else addIgnored(kept.ignored, top, file.newBytes?.length ?? 0)
  }
  for (const path of effects.gone) {
    const oldBytes = await bytesNow(deps, path)
    if (oldBytes === null) continue
    changes.push({ kind: 'delete', path, baseHash: contentHash(oldBytes) })
    note({ path, oldBytes, newBytes: null, mode: null })
  }
  const times = new Map<string, string>()
  for (const { path, content, mode, isModeNew } of effects.files) {
    const bytes = await deps.disk.readPlain(content, limitChangedBytes)
    const oldBytes = await bytesNow(deps, path)
    const node = layer.at(path)
    const isModeChanged = node?.kind === 'file' ? (node.mode & 0o777) !== mode : isModeNew
    const isSame = oldBytes !== null && contentHash(oldBytes) === contentHash(bytes)
    if (isSame && !isModeChanged) continue
    const baseHash = oldBytes === null ? null : contentHash(oldBytes)
    const isModeGiven = oldBytes === null || isModeChanged
    changes.push({ kind: 'write', path, baseHash, bytes, ...(isModeGiven ? { mode } : {}) })
    times.set(path, content)
    note({ path, oldBytes, newBytes: bytes, mode: isModeGiven ? mode : null })
  }
  for (const [path, top] of effects.ignored) layer.noteIgnored(path, top)
  if (changes.length > 0) await deps.apply(changes)
  layer.addFolders(effects.folders)
  for (const [path, content] of times) await keepTimes(deps, path, content)
  return kept
}

/** Keeps the times of a file that a command wrote: builds compare them, also in the next command. */
async function keepTimes({ layer, files }: Deps, path: string, content: string): Promise<void> {
  const node = layer.at(path)
  if (node?.kind !== 'file') return
  const { atime, mtime } = await lstat(content)
  await utimes(files.pathOf(node.stored), atime, mtime)
}

/** Returns a file as the command found it; null: no file. Errors: `file/changed` where its path leads elsewhere. */
async function bytesNow({ base, paths, files }: Deps, path: string): Promise<Uint8Array | null> {
  const { found, node } = await paths.look(path)
  if (found.path !== path) throw new AppError({ code: 'file/changed', path })
  if (node?.kind === 'file') return files.get(node.stored)
  if (found.kind !== 'file') return null
  return (await base.read(path, limitChangedBytes)).bytes
}

function addIgnored(ignored: CopiedChanges['ignored'], top: string, sizeBytes: number): void {
  const found = ignored.find((one) => one.top === top)
  if (found === undefined) ignored.push({ top, files: 1, sizeBytes })
  else {
    found.files += 1
    found.sizeBytes += sizeBytes
  }
}

/**
 * Counts how often a layer is written into its folder, and waits for such a writing. A command of a layer above sees a
 * half-written folder while one is in progress.
 */
export class Uptake {
  #times = 0
  #going: Promise<unknown> = Promise.resolve()

  /** How many writings have begun. */
  get times(): number {
    return this.#times
  }

  async during<T>(write: () => Promise<T>): Promise<T> {
    this.#times++
    const writing = write()
    this.#going = Promise.allSettled([this.#going, writing])
    return writing
  }

  async settled(): Promise<void> {
    await this.#going
  }
}
