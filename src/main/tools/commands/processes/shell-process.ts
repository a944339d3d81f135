import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { AppError } from '../../../../shared/errors.ts'
import { errorCode } from '../../../platform/files/disk.ts'
import type { Wall } from '../../../sandbox/wall.ts'
import type { ProcessEnv } from '../environment/clean-environment.ts'

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
    throw startError(error, line)
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

function startError(error: unknown, line: string): AppError {
  const code = errorCode(error) ?? 'unknown'
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') {
    const sizeBytes = Buffer.byteLength(line)
    return new AppError({ code: 'command/too-long', sizeBytes }, { cause: error })
  }
  return new AppError({ code: 'command/not-started', reason: code }, { cause: error })
}
