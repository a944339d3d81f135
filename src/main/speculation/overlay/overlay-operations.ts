import { AppError } from '../../../shared/errors.ts'
import { isTempFileName } from '../../platform/files/atomic-file.ts'
import { foldersFirst } from '../../platform/files/natural-order.ts'
import type { FileContent, FolderEntry, ToolOperations } from '../../tools/tool-operations.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import type { Layer } from './layer.ts'
import { overlayChangeSetId } from './overlay.ts'
import type { OverlayPaths } from './overlay-paths.ts'
import type { PrivateFiles } from './private-files.ts'

type Deps = {
  base: ToolOperations
  layer: Layer
  paths: OverlayPaths
  files: PrivateFiles
  search: Pick<ToolOperations, 'glob' | 'grep'>
  apply(changes: readonly FileChange[]): Promise<void>
  executeInCopy: ToolOperations['execute']
  noteRead(path: string, hash: string): void
}

export function createOverlayOperations(deps: Deps): ToolOperations {
  const { base, layer, paths, search } = deps
  return {
    locate: async (path) => (await paths.look(path)).found,
    async read(path, limitBytes) {
      const content = await read(deps, path, limitBytes)
      deps.noteRead(content.path, content.hash)
      return content
    },
    async stamp(path) {
      const { found, node } = await paths.look(path)
      if (found.kind === 'none') throw new AppError({ code: 'file/not-found', path: found.path })
      return node?.kind === 'file' ? node.stored.hash : base.stamp(found.path)
    },
    list: (path) => list(deps, path),
    glob: search.glob,
    grep: search.grep,
    async apply(changes) {
      await deps.apply(changes)
      return { changeSetId: overlayChangeSetId, conflicts: [] }
    },
    async execute(command, onOutput, signal) {
      if (command.isSandboxed === true && !command.isBackground)
        return deps.executeInCopy(command, onOutput, signal)
      // Such a command would not see what was written to the layer, or would outlive the speculation.
      if (!command.isReadOnly || command.isBackground || layer.size > 0) {
        throw new AppError({ code: 'command/not-read-only', part: command.line })
      }
      return base.execute(command, onOutput, signal)
    },
    // The user is not asked about a command of a speculation, whose changes are in the layer.
    askedRun: async () => null,
    commandOutput: base.commandOutput,
    // A speculation that is not accepted must not stop the session's own commands.
    stopCommand: async () => false,
  }
}

async function read({ base, paths, files }: Deps, path: string, limitBytes: number): Promise<FileContent> {
  const { found, node } = await paths.look(path)
  if (found.kind === 'none') throw new AppError({ code: 'file/not-found', path: found.path })
  if (node?.kind === 'folder') {
    throw new AppError({ code: 'file/failed', path: found.path, reason: 'no plain file' })
  }
  if (node?.kind === 'file') {
    const { stored } = node
    const { sizeBytes } = stored
    if (sizeBytes > limitBytes) {
      throw new AppError({ code: 'file/too-large', path: found.path, sizeBytes, limitBytes })
    }
    return { path: found.path, bytes: await files.get(stored), hash: stored.hash }
  }
  const content = await base.read(found.path, limitBytes)
  // The path led elsewhere in between, where the layer may hold another file.
  if (content.path !== found.path) throw new AppError({ code: 'file/changed', path })
  return content
}

async function list({ base, layer, paths }: Deps, path: string): Promise<FolderEntry[]> {
  const { found, node } = await paths.look(path)
  if (found.kind === 'none' || node?.kind === 'file') {
    throw new AppError({ code: 'file/not-found', path: found.path })
  }
  const isBelow = node === undefined || (await base.locate(found.path)).kind === 'folder'
  const names = layer.in(found.path)
  const below = isBelow ? await base.list(found.path) : []
  if (names.size === 0) return below
  const entries = below.filter(({ name }) => !names.has(name))
  for (const [name, own] of names) {
    if (own.kind === 'gone' || isTempFileName(name)) continue
    const sizeBytes = own.kind === 'file' ? own.stored.sizeBytes : null
    entries.push({ name, kind: own.kind, sizeBytes })
  }
  return foldersFirst(entries)
}
