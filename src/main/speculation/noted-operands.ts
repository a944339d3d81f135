import { isAppError } from '../../shared/errors.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import { isRefusal } from '../tools/shell/programs/read-options.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

/** Of a folder that a command reads as a whole, so many files are watched. */
const mostFilesBelow = 200

/**
 * The operations of an overlay, which also note what a read-only command reads: before the command runs, so that a
 * change that comes meanwhile makes the run stale.
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

/** Shape: paths from the session's folder. */
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

/** What is not there, or may not be read, is the command's own matter. */
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
