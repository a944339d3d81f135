import { execFile } from 'node:child_process'
import { AppError } from '../../../shared/errors.ts'
import { memoryLimited } from '../../platform/node/memory-limited.ts'
import type { ShellCheck } from '../shell/create-shell-check.ts'
import {
  type GitConfiguration,
  gitConfigurationCommand,
  readGitConfiguration,
} from '../shell/git-configuration.ts'
import { isLiteral as isLiteralLine, limitLiteral } from '../shell/literal-line.ts'
import { isRefusal } from '../shell/programs/read-options.ts'
import type { LineReads } from '../shell/read-only.ts'
import { hardenedLine, isRuledGit, readOnlyEnvironment } from '../shell/read-only-run.ts'
import type { ProcessEnv } from './environment/clean-environment.ts'

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
  if (isLiteral && !isLiteralLine(check, parsed)) {
    throw new AppError({ code: 'command/not-read-only', part: line })
  }
  const made = (reads: LineReads, configuration: GitConfiguration): HardenedCommand => ({
    line: `${isLiteral ? literalStart : openStart}${hardenedLine(line, reads)}`,
    env: { ...readOnlyEnvironment(env, configuration), ...(isLiteral ? { GIT_LITERAL_PATHSPECS: '1' } : {}) },
  })
  const byText = check.readOnly(parsed)
  if (isRefusal(byText)) throw new AppError({ code: 'command/not-read-only', part: byText.about })
  if (byText.gitCommands.length === 0) {
    return made(byText, new Map())
  }
  const configuration = await gitConfigurationIn(cwd, env)
  const reads = check.readOnly(parsed, configuration)
  if (isRefusal(reads)) throw new AppError({ code: 'command/not-read-only', part: reads.about })
  return made(reads, configuration)
}

/** Returns git's configuration in a folder. Errors: `command/not-read-only` where there is no git of a new version. */
export async function gitConfigurationIn(cwd: string, own: ProcessEnv): Promise<GitConfiguration> {
  // Without our own settings, which would override the folder's.
  const env = Object.fromEntries(
    Object.entries(readOnlyEnvironment(own, new Map())).filter(([name]) => !name.startsWith('GIT_CONFIG_')),
  )
  const version = await outputOf(['git', '--version'], cwd, env)
  if (!isRuledGit(version)) throw new AppError({ code: 'command/not-read-only', part: 'git' })
  return readGitConfiguration(await outputOf(gitConfigurationCommand, cwd, env))
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
