import { basename } from 'node:path'
import { delay } from '../../../shared/delay.ts'
import type { Clock, Log, Random } from '../../deps.ts'
import { cleanEnvironment, type EnvironmentRules, type ProcessEnv } from './environment/clean-environment.ts'
import { endGroup, startProcess } from './processes/process-group.ts'

/** An environment. Shape: `source` is `login` for the user's shell, `process` for our own where that did not answer. */
export type LoginEnvironment = { variables: Record<string, string>; source: 'login' | 'process' }

/** Shells that take `-lic`; others (csh, nu, pwsh) are not asked. */
const knownShells = new Set(['bash', 'zsh', 'sh', 'dash', 'ksh', 'mksh', 'fish'])
const defaultTimeoutMs = 5000
const limitBytes = 4_000_000
const killAfterMs = 200

/**
 * Returns a function that gives the environment of a user's terminal, read once from the login shell, without our
 * variables and without secrets.
 *
 * Shape: the first call asks the shell, the others share its answer. Where the shell is unknown, slow or gives no
 * valid answer, our own environment is used, cleaned the same way. Never rejects.
 */
export function createLoginEnvironment(deps: {
  clock: Clock
  random: Random
  log: Log
  rules: EnvironmentRules
  /** Our own process's variables. */
  own: ProcessEnv
  timeoutMs?: number
}): () => Promise<LoginEnvironment> {
  const { rules, own, log } = deps
  let asked: Promise<LoginEnvironment> | undefined

  const ask = async (): Promise<LoginEnvironment> => {
    const inherited = cleanEnvironment(own, rules, true)
    // Windows has no login shell: every process has the user's environment.
    if (process.platform === 'win32') return { variables: inherited, source: 'process' }
    try {
      const printed = await printedByShell(own.SHELL, inherited, deps)
      return { variables: cleanEnvironment(printed, rules, false), source: 'login' }
    } catch (error) {
      log.write('warn', 'commands.no-login-environment', { error })
      return { variables: inherited, source: 'process' }
    }
  }

  return () => {
    asked ??= ask()
    return asked
  }
}

async function printedByShell(
  shell: string | undefined,
  inherited: Record<string, string>,
  { clock, random, timeoutMs = defaultTimeoutMs }: { clock: Clock; random: Random; timeoutMs?: number },
): Promise<Record<string, string>> {
  if (shell === undefined || !knownShells.has(basename(shell))) throw new Error('no known login shell')
  const mark = `env-${random.id()}`
  // Start files may print text, which then is outside of the marks.
  const line = `printf %s ${mark}; /usr/bin/env -0; printf %s ${mark}`
  // A session of its own: an interactive shell would otherwise take our terminal.
  const child = await startProcess(shell, ['-lic', line], {
    ...(inherited.HOME?.startsWith('/') ? { cwd: inherited.HOME } : {}),
    env: { ...inherited, TERM: 'dumb' },
  })
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const isTooLong = Promise.withResolvers<'too-long'>()
  child.output.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) return isTooLong.resolve('too-long')
    chunks.push(chunk)
  })
  // Waits for the exit, not for the output to close: a start file may leave a process that holds the output open.
  const exited = child.exited.then(async () => {
    await Promise.race([child.closed, delay(clock, killAfterMs)])
    return 'ended' as const
  })
  const timeout = delay(clock, timeoutMs).then(() => 'timeout' as const)
  const end = await Promise.race([exited, timeout, isTooLong.promise])
  if (end !== 'ended') await endGroup(clock, child.groupId, killAfterMs)
  child.output.destroy()
  if (end !== 'ended') throw new Error(`login shell: ${end}`)
  return variablesBetween(Buffer.concat(chunks).toString('utf8'), mark)
}

/** Reads the output of `env -0` between two marks. Errors: an `Error` where there is none. */
export function variablesBetween(printed: string, mark: string): Record<string, string> {
  const [, inside, ...rest] = printed.split(mark)
  if (inside === undefined || rest.length === 0) throw new Error('login shell: no environment')
  const entries = inside.split('\0').filter((entry) => entry.indexOf('=') > 0)
  if (entries.length === 0) throw new Error('login shell: empty environment')
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}
