import { isAppError } from '../../shared/errors.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import type { GitCommand } from '../tools/shell/programs/git-command.ts'
import { isRefusal } from '../tools/shell/programs/read-options.ts'
import type { LineReads } from '../tools/shell/read-only.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import type { Overlay } from './overlay/overlay.ts'

/** Most files that are noted one by one for a folder that a command reads as a whole. */
const mostFilesBelow = 200
/** Subcommands of Git that compare or search all files of the folder where they name none. */
const wholeFolder = new Set(['diff', 'grep', 'status'])
/** Options with which these compare only committed or staged content. */
const fromStore = new Set(['cached', 'staged'])
/** Two revisions as one word; `..` of a path stands beside a slash. */
const revisionRange = /(?:^|[^/])\.{2,3}(?:[^/]|$)/

/**
 * Returns the operations of an overlay, which also note what a read-only command reads: before the command runs, so
 * that a change during the command makes the speculation stale. A command that reads many files, or files that it
 * does not name, may have read any file of the folder.
 */
export function notingCommandReads(
  { operations, noteAnyRead }: Pick<Overlay, 'operations' | 'noteAnyRead'>,
  shell: Pick<ShellCheck, 'read' | 'readOnly'>,
): ToolOperations {
  return {
    ...operations,
    async execute(command, onOutput, signal) {
      const reads = shell.readOnly(await shell.read(command.line))
      if (!isRefusal(reads)) {
        const mayBeAny = await noteReads(operations, reads, command.folder, signal)
        // The overlay notes by itself what a command in a copy may have read.
        if (mayBeAny && command.isSandboxed !== true) await noteAnyRead(signal)
      }
      return operations.execute(command, onOutput, signal)
    },
  }
}

/** Returns true where the line may read files that were not noted one by one. */
async function noteReads(
  operations: ToolOperations,
  { operands, gitCommands }: LineReads,
  folder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const at = folder === '.' || folder === '' ? '' : `${folder}/`
  const notes = { whole: 0, many: 0, none: 0 }
  /** Of the operands of Git. */
  const git = { found: 0, missing: 0 }
  for (const { command, reads, paths, isDeep } of operands) {
    if (reads !== 'contents') continue
    for (const path of paths) {
      const noted = await noteRead(operations, path.startsWith('/') ? path : `${at}${path}`, isDeep, signal)
      notes[noted] += 1
      if (command === 'git') git[noted === 'none' ? 'missing' : 'found'] += 1
    }
  }
  const comparing = gitCommands.filter(comparesFolder)
  const isUnnamed = git.found === 0 || (git.missing > 0 && gitCommands.length > 1)
  return notes.many > 0 || (comparing.length > 0 && isUnnamed)
}

function comparesFolder({ subcommand, options, words }: GitCommand): boolean {
  if (!wholeFolder.has(subcommand?.value ?? '')) return false
  return (
    !options.some((name) => fromStore.has(name)) &&
    !words.some(({ value }) => revisionRange.test(value ?? ''))
  )
}

/**
 * Notes a read. A path that does not exist, or may not be read, is left to the command.
 *
 * Shape: `many`: there are too many files to note each; `none`: there is nothing to read.
 */
async function noteRead(
  operations: ToolOperations,
  path: string,
  isDeep: boolean,
  signal: AbortSignal,
): Promise<'whole' | 'many' | 'none'> {
  try {
    const found = await operations.locate(path)
    if (found.kind === 'none') return 'none'
    if (found.kind === 'file') await operations.read(found.path, Number.POSITIVE_INFINITY)
    if (found.kind !== 'folder' || !isDeep) return 'whole'
    const pattern = found.path === '.' || found.path === '' ? '**/*' : `${found.path}/**/*`
    const { paths, isCut } = await operations.glob(pattern, mostFilesBelow, signal)
    if (isCut) return 'many'
    for (const below of paths) await operations.read(below, Number.POSITIVE_INFINITY)
  } catch (error) {
    if (!isAppError(error)) throw error
  }
  return 'whole'
}
