import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { isInside } from '../../platform/files/real-path.ts'
import type { ShellCheck } from '../shell/create-shell-check.ts'
import type { CommandRun } from './command-types.ts'
import { commandEnvironment, type ProcessEnv } from './environment/clean-environment.ts'
import { findProgram, programsOutside } from './environment/program-path.ts'
import type { LoginEnvironment } from './login-environment.ts'
import { type ShellProcess, startShell } from './processes/process-group.ts'
import { type HardenedCommand, hardenCommand } from './read-only-command.ts'

/** The services that a start needs. */
export type CommandSurroundings = {
  loginEnvironment: () => Promise<LoginEnvironment>
  shellCheck: ShellCheck
}

/**
 * Checks the folder, puts the environment together and starts the line.
 *
 * Errors: `command/no-folder`, `command/no-shell`, `command/not-read-only`, `command/too-long`,
 * `command/not-started`, `file/outside`, `file/denied`; the signal's reason where it was aborted before the start.
 */
export async function startCommand(
  { loginEnvironment, shellCheck }: CommandSurroundings,
  run: CommandRun,
  signal: AbortSignal,
): Promise<ShellProcess> {
  const cwd = await realFolder(run.cwd, run.root)
  const environment = run.environment ?? (await unlessAborted(loginEnvironment(), signal)).variables
  const plain = { line: run.line, env: commandEnvironment(environment) }
  const { line, env } = run.isReadOnly === true ? await hardened(shellCheck, run, plain.env, cwd) : plain
  const shell = await findProgram('bash', env)
  if (shell === null) throw new AppError({ code: 'command/no-shell' })
  signal.throwIfAborted()
  const start = { shell, joiner: await findProgram('cat', env), line, cwd, env }
  return startShell(run.wall === undefined ? start : { ...start, wall: run.wall })
}

async function hardened(
  shellCheck: ShellCheck,
  { line, literal, root, folders = [] }: CommandRun,
  environment: ProcessEnv,
  cwd: string,
): Promise<HardenedCommand> {
  const env = await programsOutside(environment, [root ?? cwd, ...folders])
  return hardenCommand(shellCheck, { line: literal ?? line, env, cwd, isLiteral: literal !== undefined })
}

/** Rejects as soon as the signal is aborted, so that a slow login shell does not delay a stop. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function realFolder(path: string, root: string | undefined): Promise<string> {
  if (!isAbsolute(path)) throw new AppError({ code: 'command/no-folder', path })
  try {
    const real = await realpath(path)
    if (!(await stat(real)).isDirectory()) throw new AppError({ code: 'command/no-folder', path })
    if (root !== undefined && !isInside(await realpath(root), real)) {
      throw new AppError({ code: 'file/outside', path })
    }
    await access(real, constants.X_OK)
    return real
  } catch (error) {
    if (error instanceof AppError || errorCode(error) === undefined) throw error
    const isDenied = errorCode(error) === 'EACCES'
    throw new AppError({ code: isDenied ? 'file/denied' : 'command/no-folder', path }, { cause: error })
  }
}
