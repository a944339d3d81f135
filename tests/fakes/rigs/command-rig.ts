import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/main/deps.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { CommandResult, CommandRun } from '../../../src/main/tools/commands/command-types.ts'
import {
  type CommandRunner,
  createCommandRunner,
} from '../../../src/main/tools/commands/create-command-runner.ts'
import { createShellCheck } from '../../../src/main/tools/shell/create-shell-check.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { silentLog } from '../silent-log.ts'

const shellCheck = await createShellCheck(fileURLToPath(new URL('../../../resources/', import.meta.url)))

export const plainEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nowhere', LANG: 'C.UTF-8' }

/** A runner of real processes in a folder of its own; what it runs is gone when the test has ended. */
export type CommandRig = {
  runner: CommandRunner
  cwd: string
  dataDir: string
  /** Runs a line to its result. */
  run(line: string, options?: Partial<CommandRun>, hooks?: RigHooks): Promise<CommandResult>
}
type RigHooks = { onOutput?: (text: string) => void; signal?: AbortSignal }

export function commandRig(
  options: { graceMs?: number; dataDir?: string; hostId?: string; clock?: Clock } = {},
): CommandRig {
  const cwd = tempFolder()
  const dataDir = options.dataDir ?? tempFolder()
  const runner = createCommandRunner({
    clock: options.clock ?? systemClock,
    random: systemRandom,
    log: silentLog,
    hostId: options.hostId ?? systemRandom.id(),
    dataDir,
    graceMs: options.graceMs ?? 200,
    shellCheck,
    loginEnvironment: async () => ({ variables: plainEnvironment, source: 'login' }),
  })
  onTestFinished(() => runner.dispose())
  return {
    runner,
    cwd,
    dataDir,
    run: (line, run = {}, hooks = {}) =>
      runner.run(
        { ownerId: 'session', line, cwd, ...run },
        { signal: hooks.signal ?? new AbortController().signal, ...hooks },
      ),
  }
}

/** True where a process is there and has not ended. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  // A process that has ended still exists as a zombie until its parent reads its exit code.
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8')
  return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

/** The numbers that a command printed, one a line: process ids of what it started. */
export function printedIds(output: string): number[] {
  return [...output.matchAll(/^\d+$/gm)].map(([id]) => Number(id))
}
