import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { contentHash } from '../../../src/main/platform/files/content-hash.ts'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { Overlay, OverlayFolder, Overlays } from '../../../src/main/speculation/overlay/overlay.ts'
import type { GrepQuery, ToolOperations } from '../../../src/main/tools/tool-operations.ts'
import type { FileChange } from '../../../src/main/workspace/change-plan.ts'
import { createSeveralFolders } from '../../../src/main/workspace/several-folders.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { changeSetRig } from './change-set-rig.ts'
import { overlaysAt, plainOperations } from './overlay-parts.ts'

const never = new AbortController().signal

/** A real folder, its operations as sessions have them, and the overlays of one host over it. */
export type OverlayRig = {
  root: string
  dataDir: string
  hostId: string
  base: ToolOperations
  overlays: Overlays
  /** Lines of commands that ran below. */
  commands: string[]
  folder: OverlayFolder
  open(): Promise<Overlay>
  write(path: string, content: string | Uint8Array): void
  text(path: string): string
}

type Options = {
  disk?: Disk
  /** Of the overlay's own files; `disk` without it. */
  privateDisk?: Disk
  root?: string
  dataDir?: string
  base?: (plain: ToolOperations) => ToolOperations
}

export function overlayRig(options: Options = {}): OverlayRig {
  const { disk = nodeDisk, root = tempFolder(), dataDir = tempFolder() } = options
  const hostId = systemRandom.id()
  const commands: string[] = []
  const plain = realFolder(root, disk, commands)
  const base = options.base?.(plain) ?? plain
  const overlays = overlaysAt({ dataDir, hostId, disk: options.privateDisk ?? disk })
  const folder = { root, base }
  return {
    root,
    dataDir,
    hostId,
    base,
    overlays,
    commands,
    folder,
    open: () => overlays.open(folder),
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    text: (path) => readFileSync(join(root, path), 'utf8'),
  }
}

/** The operations of a real folder, with real change sets. */
export function realFolder(root: string, disk: Disk = nodeDisk, commands: string[] = []): ToolOperations {
  const { changeSets, store } = changeSetRig(tempFolder(), { disk })
  onTestFinished(() => store.close())
  return plainOperations({ root, disk, changeSets, commands })
}

/** A session's own folder and one that was added to it, for an overlay over both. */
export function twoFolders(root: string, added: string): OverlayFolder {
  const { changeSets, store } = changeSetRig(tempFolder())
  onTestFinished(() => store.close())
  const operationsIn = (folder: string) => plainOperations({ root: folder, changeSets })
  const own = { root, operations: operationsIn(root) }
  return { root, base: createSeveralFolders({ own, added: () => [added], operationsIn }) }
}

/** Prepares a change as a tool does: based on the present content, at the real path. */
export async function workedOut(
  operations: ToolOperations,
  change:
    | { write: string; content: string | Uint8Array; mode?: number }
    | { remove: string }
    | { move: string; to: string },
): Promise<FileChange> {
  const from = 'write' in change ? change.write : 'remove' in change ? change.remove : change.move
  const found = await operations.locate(from)
  const hash = found.kind === 'file' ? (await operations.read(from, 1e9)).hash : null
  const { path } = found
  if ('write' in change) {
    const bytes = typeof change.content === 'string' ? Buffer.from(change.content) : change.content
    const mode = change.mode === undefined ? {} : { mode: change.mode }
    return { kind: 'write', path, baseHash: hash, bytes, ...mode }
  }
  const baseHash = hash ?? contentHash('no file')
  if ('remove' in change) return { kind: 'delete', path, baseHash }
  return { kind: 'move', path, baseHash, to: (await operations.locate(change.to)).path }
}

export async function write(operations: ToolOperations, path: string, content: string | Uint8Array) {
  return operations.apply([await workedOut(operations, { write: path, content })], '')
}

export async function remove(operations: ToolOperations, path: string) {
  return operations.apply([await workedOut(operations, { remove: path })], '')
}

export async function move(operations: ToolOperations, path: string, to: string) {
  return operations.apply([await workedOut(operations, { move: path, to })], '')
}

export async function textIn(operations: ToolOperations, path: string): Promise<string> {
  return Buffer.from((await operations.read(path, 1e9)).bytes).toString('utf8')
}

export function grepIn(operations: ToolOperations, query: Partial<GrepQuery>) {
  const whole = { isLiteral: false, ignoreCase: false, path: '.', glob: null, contextLines: 0, limit: 1_000 }
  return operations.grep({ pattern: '.', ...whole, ...query }, never)
}

/** `path:line:text` of each line that a search shows. */
export async function linesIn(operations: ToolOperations, query: Partial<GrepQuery>): Promise<string[]> {
  return (await grepIn(operations, query)).matches.map(({ path, line, text }) => `${path}:${line}:${text}`)
}

export async function globIn(operations: ToolOperations, pattern: string, limit = 1_000): Promise<string[]> {
  return (await operations.glob(pattern, limit, never)).paths
}

export async function namesIn(operations: ToolOperations, path: string): Promise<string[]> {
  return (await operations.list(path)).map(({ name, kind }) => (kind === 'file' ? name : `${name} (${kind})`))
}
