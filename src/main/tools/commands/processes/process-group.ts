import { type ChildProcess, spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { delay } from '../../../../shared/delay.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { Clock } from '../../../deps.ts'
import { errorCode } from '../../../platform/files/disk.ts'
import { readSmallText } from '../../../platform/files/read-regular-file.ts'
import type { Wall } from '../../../sandbox/wall.ts'
import type { ProcessEnv } from '../environment/clean-environment.ts'

/** Time until the first poll; the interval doubles up to the limit. */
const firstPollMs = 10
const limitPollMs = 100
const killedWithinMs = 500

/**
 * Sends a signal to every process of a group, 0 to ask whether there are any.
 *
 * Shape: on Windows, which has no groups, the tree under `groupId` is ended at once, whatever the signal.
 */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'denied' {
  // To the system 0 is our own group and -1 is everyone.
  if (!(groupId > 1)) throw new RangeError(`no group of a command: ${groupId}`)
  return process.platform === 'win32' ? signalTree(groupId, signal) : sendSignal(-groupId, signal)
}

function sendSignal(target: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'denied' {
  try {
    process.kill(target, signal)
    return 'sent'
  } catch (error) {
    return errorCode(error) === 'ESRCH' ? 'gone' : 'denied'
  }
}

/**
 * Asks a group to end, waits for it, and ends it by force after `graceMs`. Returns `left` where it did not end: it is
 * another user's, or stuck in the system. Never rejects.
 */
export async function endGroup(clock: Clock, groupId: number, graceMs: number): Promise<'gone' | 'left'> {
  if (signalGroup(groupId, 'SIGTERM') === 'gone') return 'gone'
  if (await isGoneWithin(clock, groupId, graceMs)) return 'gone'
  if (signalGroup(groupId, 'SIGKILL') === 'gone') return 'gone'
  return (await isGoneWithin(clock, groupId, killedWithinMs)) ? 'gone' : 'left'
}

/** Waits until no process of a group runs; false where one still does after `limitMs`. */
export async function isGoneWithin(clock: Clock, groupId: number, limitMs: number): Promise<boolean> {
  const deadline = clock.now() + limitMs
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, limitPollMs)) {
    if (!(await hasProcesses(groupId))) return true
    const leftMs = deadline - clock.now()
    if (leftMs <= 0) return false
    await delay(clock, Math.min(pollMs, leftMs))
  }
}

/**
 * True where a group has running processes. Zombies, which ended but were not waited for, do not count: in a container
 * without an init of its own they stay for ever.
 */
async function hasProcesses(groupId: number): Promise<boolean> {
  if (signalGroup(groupId, 0) === 'gone') return false
  if (process.platform !== 'linux') return true
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const living = await Promise.all(ids.map((id) => isLivingMember(id, groupId)))
  return living.includes(true)
}

async function isLivingMember(processId: string, groupId: number): Promise<boolean> {
  // Empty where the process has ended meanwhile.
  const { state, group } = readStat(await readSmallText(`/proc/${processId}/stat`).catch(() => ''))
  return group === String(groupId) && state !== 'Z' && state !== 'X'
}

/** Source: proc(5), `/proc/pid/stat`. The name in parentheses may hold anything; the third field follows it. */
export function readStat(stat: string): { state: string; group: string; startTicks: string } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', group: fields[2] ?? '', startTicks: fields[19] ?? '' }
}

function signalTree(processId: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'denied' {
  const found = sendSignal(processId, 0)
  if (found !== 'sent' || signal === 0) return found
  const args = ['/pid', String(processId), '/T', '/F']
  const ender = spawn('taskkill', args, { stdio: 'ignore', windowsHide: true })
  // Where it cannot be started the group counts as left, which the caller sees.
  ender.on('error', () => undefined)
  return 'sent'
}

/** Exit code or signal of the shell itself. */
export type ShellExit = { code: number | null; signal: string | null }

/** A started line. Shape: `groupId` is the shell's process id too; `output` is both of its outputs as they come. */
export type ShellProcess = {
  groupId: number
  output: Readable
  exited: Promise<ShellExit>
  /** Resolves when no process holds the output open any more. */
  closed: Promise<void>
}

/**
 * Joins both outputs in one pipe before the line runs, so that they come in their order and `/dev/stdout` can be
 * opened (Node's own pipes are sockets, which cannot). The reader of that pipe ignores SIGTERM, so that the last
 * output is read. `-p` keeps this first shell from the user's `BASH_ENV` and functions; the second has them.
 */
const joined =
  'if [ -n "$2" ]; then exec > >(trap \'\' TERM; exec "$2") 2>&1; else exec 2>&1; fi; ' +
  'exec "$0" --noprofile --norc -c "$1"'

/**
 * The same for a sandbox, whose processes all end with this first shell: the shell waits for the reader of the pipe,
 * but only two seconds, since processes that the line left running may hold the pipe open. On a busy machine the reader
 * may need more than half a second to start.
 */
const joinedBehindWall =
  'if [ -n "$2" ]; then exec 3> >(trap \'\' TERM; exec "$2"); reader=$!; ' +
  '"$0" --noprofile --norc -c "$1" >&3 2>&1 3>&-; code=$?; exec 3>&- >/dev/null 2>&1; ' +
  '(sleep 2; kill -9 "$reader") & wait "$reader"; exit "$code"; ' +
  'else exec 2>&1; exec "$0" --noprofile --norc -c "$1"; fi'

/**
 * Starts `bash -c line` as the leader of a process group and session of its own, with empty standard input.
 *
 * Shape: `joiner` is where `cat` is; without it the outputs come in their order too, but as a socket.
 * Errors: `command/too-long`, `command/not-started`.
 */
export function startShell(options: {
  shell: string
  joiner: string | null
  line: string
  cwd: string
  env: ProcessEnv
  wall?: Wall
}): Promise<ShellProcess> {
  const { shell, joiner, line, cwd, env, wall } = options
  const script = wall === undefined ? joined : joinedBehindWall
  const args = ['-p', '-c', script, shell, line, joiner ?? '']
  const walled = wall === undefined ? args : [...wall.args, shell, ...args]
  return startProcess(wall?.program ?? shell, walled, { cwd, env }).catch((error: unknown) => {
    const code = errorCode(error) ?? 'unknown'
    const isTooLong = code === 'E2BIG' || code === 'ENAMETOOLONG'
    const sizeBytes = Buffer.byteLength(line)
    throw isTooLong
      ? new AppError({ code: 'command/too-long', sizeBytes }, { cause: error })
      : new AppError({ code: 'command/not-started', reason: code }, { cause: error })
  })
}

/** Starts a process the same way and reads its standard output only. Errors: Node's own. */
export async function startProcess(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env: ProcessEnv },
): Promise<ShellProcess> {
  const child = spawn(program, args, {
    ...options,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = child.stdout
  const exited = new Promise<ShellExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const closed = new Promise<void>((resolve) => {
    output.once('close', resolve)
  })
  // A broken pipe counts as ended; the exit of the process reports the rest.
  output.on('error', () => output.destroy())
  const groupId = await startOf(child)
  return { groupId, output, exited, closed }
}

function startOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    if (child.pid !== undefined) return resolve(child.pid)
    child.once('error', reject)
  })
}
