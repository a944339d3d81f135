import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { unlessAborted } from '../../../shared/delay.ts'
import { AppError } from '../../../shared/errors.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { isInside } from '../../platform/files/real-path.ts'
import { memoryLimited } from '../../platform/node/memory-limited.ts'
import type { ShellCheck } from '../shell/create-shell-check.ts'
import { isLiteral as isLiteralLine, limitLiteral } from '../shell/literal-line.ts'
import { isRefusal } from '../shell/programs/read-options.ts'
import type { LineReads } from '../shell/read-only.ts'
import {
  configurationEnvironment,
  type GitConfiguration,
  gitConfigurationCommand,
  hardenedLine,
  provenConfiguration,
  readOnlyEnvironment,
} from '../shell/read-only-run.ts'
import type { CommandRun } from './command-types.ts'
import { commandEnvironment, type ProcessEnv } from './environment/clean-environment.ts'
import { findProgram, programsOutside } from './environment/program-path.ts'
import type { LoginEnvironment } from './login-environment.ts'
import { type ShellProcess, startShell } from './processes/process-group.ts'

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
  // A slow login shell must not delay a stop.
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

async function realFolder(path: string, root: string | undefined): Promise<string> {
  if (!isAbsolute(path)) throw new AppError({ code: 'command/no-folder', path })
  try {
    const real = await realpath(path)
    if (!(await stat(real)).isDirectory()) throw new AppError({ code: 'command/no-folder', path })
    if (root !== undefined && !isInside(await realpath(root), real))
      throw new AppError({ code: 'file/outside', path })
    await access(real, constants.X_OK)
    return real
  } catch (error) {
    if (error instanceof AppError || errorCode(error) === undefined) throw error
    const isDenied = errorCode(error) === 'EACCES'
    throw new AppError({ code: isDenied ? 'file/denied' : 'command/no-folder', path }, { cause: error })
  }
}

export type HardenedCommand = { line: string; env: Record<string, string> }

/** Limits the memory where the system supports that. Units: KiB. */
const openStart = 'ulimit -v 8388608 2>/dev/null\n'
/** Switches off the shell's expansion of names and braces, whatever a variable holds. */
const literalStart = `${openStart}set -f +B\n`
const gitTimeoutMs = 5000
const limitConfigurationBytes = 4_000_000

/**
 * Prepares a line that only reads to run without consent.
 *
 * Shape: checks again, with the configuration that git has in `cwd` now: a line that was read-only when it was
 * judged may not be any more. `isLiteral`: its patterns are written out, and neither the shell nor git expands any.
 * Errors: `command/not-read-only`.
 */
export async function hardenCommand(
  check: ShellCheck,
  { line, cwd, env, isLiteral }: { line: string; cwd: string; env: ProcessEnv; isLiteral: boolean },
): Promise<HardenedCommand> {
  const parsed = await check.read(line, limitLiteral)
  if (isLiteral && !isLiteralLine(check, parsed))
    throw new AppError({ code: 'command/not-read-only', part: line })
  const made = (reads: LineReads, configuration: GitConfiguration): HardenedCommand => ({
    line: `${isLiteral ? literalStart : openStart}${hardenedLine(line, reads)}`,
    env: { ...readOnlyEnvironment(env, configuration), ...(isLiteral ? { GIT_LITERAL_PATHSPECS: '1' } : {}) },
  })
  const byText = check.readOnly(parsed)
  if (isRefusal(byText)) throw new AppError({ code: 'command/not-read-only', part: byText.about })
  if (byText.gitCommands.length === 0) return made(byText, new Map())
  const configuration = await gitConfigurationIn(cwd, env)
  const reads = check.readOnly(parsed, configuration)
  if (isRefusal(reads)) throw new AppError({ code: 'command/not-read-only', part: reads.about })
  return made(reads, configuration)
}

/** Returns git's configuration in a folder. Errors: `command/not-read-only` where there is no git of a new version. */
export async function gitConfigurationIn(cwd: string, own: ProcessEnv): Promise<GitConfiguration> {
  const proof = randomUUID()
  const output = await outputOf(gitConfigurationCommand, cwd, configurationEnvironment(own, proof))
  const configuration = provenConfiguration(output, proof)
  if (configuration === null) throw new AppError({ code: 'command/not-read-only', part: 'git' })
  return configuration
}

function outputOf(command: readonly string[], cwd: string, env: Record<string, string>): Promise<string> {
  const [name = '', ...args] = command
  const [program, before] = memoryLimited(name)
  const limits = { timeout: gitTimeoutMs, maxBuffer: limitConfigurationBytes }
  return new Promise((resolve, reject) => {
    execFile(program, [...before, ...args], { cwd, env, ...limits, windowsHide: true }, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(new AppError({ code: 'command/not-read-only', part: 'git' }, { cause: error }))
    })
  })
}
