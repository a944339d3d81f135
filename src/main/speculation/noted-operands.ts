import { isAppError } from '../../shared/errors.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import { isRefusal } from '../tools/shell/programs/read-options.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

/** Most files that are noted for a folder that a command reads as a whole. */
const mostFilesBelow = 200

/**
 * Returns the operations of an overlay, which also note what a read-only command reads: before the command runs, so
 * that a change during the command makes the speculation stale.
 *
 * Weak: what a command reads without naming it (`git diff`) is not noted.
 */
export function notingCommandReads(
  operations: ToolOperations,
  shell: Pick<ShellCheck, 'read' | 'readOnly'>,
): ToolOperations {
  return {
    ...operations,
    async execute(command, onOutput, signal) {
      for (const path of await readPaths(shell, command)) await noteRead(operations, path, signal)
      return operations.execute(command, onOutput, signal)
    },
  }
}

type ReadPath = { path: string; isDeep: boolean }

/** Returns the paths that a read-only command reads. Shape: relative to the session's folder. */
async function readPaths(
  shell: Pick<ShellCheck, 'read' | 'readOnly'>,
  { line, folder }: { line: string; folder: string },
): Promise<ReadPath[]> {
  const reads = shell.readOnly(await shell.read(line))
  if (isRefusal(reads)) return []
  const at = folder === '.' || folder === '' ? '' : `${folder}/`
  return reads.operands
    .filter((operand) => operand.reads === 'contents')
    .flatMap(({ paths, isDeep }) =>
      paths.map((path) => ({ path: path.startsWith('/') ? path : `${at}${path}`, isDeep })),
    )
}

/** Notes a read. A path that does not exist, or may not be read, is left to the command. */
async function noteRead(
  operations: ToolOperations,
  { path, isDeep }: ReadPath,
  signal: AbortSignal,
): Promise<void> {
  try {
    const found = await operations.locate(path)
    if (found.kind === 'file') await operations.read(found.path, Number.POSITIVE_INFINITY)
    if (found.kind !== 'folder' || !isDeep) return
    const pattern = found.path === '.' ? '**/*' : `${found.path}/**/*`
    const { paths } = await operations.glob(pattern, mostFilesBelow, signal)
    for (const below of paths) await operations.read(below, Number.POSITIVE_INFINITY)
  } catch (error) {
    if (!isAppError(error)) throw error
  }
}
