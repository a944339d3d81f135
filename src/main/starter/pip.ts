import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import { lateNode } from '../platform/node/late-node.ts'
import type { WheelMember } from './starter-catalogue.ts'

type ProcessEnv = Record<string, string | undefined>

/** The machine as the fetch sees it; tests put their own `python3` first on `PATH`. */
export type Machine = { platform: NodeJS.Platform; env: ProcessEnv; isRoot: boolean }

/** A Python that has pip. */
export type Python = { command: string; env: ProcessEnv }

/**
 * Finds a Python with pip; installs Debian's pip where the user and the system allow it.
 *
 * Errors: `starter/no-pip`.
 */
export async function findPip(
  machine: Machine,
  options: { mayInstallPip: boolean; signal: AbortSignal },
): Promise<Python> {
  const found = await findPython(machine, options.signal)
  if (found !== undefined) return found
  if (options.mayInstallPip && machine.isRoot && machine.platform === 'linux') {
    const env = { ...machine.env, DEBIAN_FRONTEND: 'noninteractive' }
    const run = { env, signal: options.signal }
    await runProcess('apt-get', ['update', '-q'], run)
    await runProcess('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'python3-pip'], run)
    const installed = await findPython(machine, options.signal)
    if (installed !== undefined) return installed
  }
  throw new AppError({ code: 'starter/no-pip' })
}

async function findPython(machine: Machine, signal: AbortSignal): Promise<Python | undefined> {
  const commands = machine.platform === 'win32' ? ['py', 'python'] : ['python3', 'python']
  for (const command of commands) {
    const env = { ...machine.env, PIP_DISABLE_PIP_VERSION_CHECK: '1', PYTHONIOENCODING: 'utf-8' }
    const { code } = await runProcess(command, ['-m', 'pip', '--version'], { env, signal })
    if (code === 0) return { command, env }
  }
  return undefined
}

/**
 * Downloads exact versions of wheels into `wheelsDir`; unfinished files are in `tempDir`.
 *
 * No code of a package is run: only wheels are downloaded, and they are never installed. The options are those that
 * pip has had since 2017; mirrors and proxies of the machine's own configuration apply.
 * Errors: `starter/offline`, `starter/failed`, `file/disk-full`.
 */
export async function downloadWheels(
  python: Python,
  requirements: readonly string[],
  folders: { wheelsDir: string; tempDir: string },
  signal: AbortSignal,
): Promise<void> {
  const env = {
    ...python.env,
    TMPDIR: folders.tempDir,
    TEMP: folders.tempDir,
    TMP: folders.tempDir,
    // A machine that forbids installing outside a virtual environment may still download.
    PIP_REQUIRE_VIRTUALENV: '0',
  }
  const options = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--no-input', '--progress-bar=off']
  const patience = ['--timeout=20', '--retries=3']
  const args = ['-m', 'pip', 'download', ...options, ...patience, '-d', folders.wheelsDir, ...requirements]
  const { code, output } = await runProcess(python.command, args, { env, signal })
  if (code !== 0) throw new AppError(pipFailure(output, folders.wheelsDir))
}

const readMember = `import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, wheel.open(sys.argv[2]) as member:
    shutil.copyfileobj(member, sys.stdout.buffer, 1 << 20)`

/** Reads one file out of a wheel, with Python's own zip reader. Errors: an `Error` where the wheel is damaged. */
export function readWheelMember(
  python: Python,
  wheelFile: string,
  member: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  return readProcess(python.command, ['-c', readMember, wheelFile, member], { env: python.env, signal })
}

/** Source: PyPA binary distribution format, "File name convention": `-` of a name is `_` there. */
export function isWheelOf(part: WheelMember, fileName: string): boolean {
  const prefix = `${part.package.replaceAll('-', '_')}-${part.version}-`.toLowerCase()
  return fileName.toLowerCase().startsWith(prefix) && path.extname(fileName) === '.whl'
}

const diskFull = /No space left on device|Errno 28|Disk quota exceeded/
const causes =
  /Temporary failure in name resolution|Name or service not known|nodename nor servname|getaddrinfo failed|Network is unreachable|No route to host|Connection refused|Connection reset|Connection aborted|timed out|ProxyError|CERTIFICATE_VERIFY_FAILED|50[0-9] (Server Error|Bad Gateway|Service Unavailable)/i
const unreachable = /Failed to establish a new connection|Max retries exceeded|SSLError/

/** Finds the cause of a failure in pip's output, since pip has only one exit code for all errors. */
function pipFailure(output: string, folder: string): ErrorInfo {
  if (diskFull.test(output)) return { code: 'file/disk-full', path: folder }
  const network = causes.exec(output) ?? unreachable.exec(output)
  if (network !== null) return { code: 'starter/offline', reason: network[0] }
  const errors = output.split('\n').filter((line) => line.startsWith('ERROR:'))
  const last = errors.at(-1)?.replace(/^ERROR:\s*/, '')
  return { code: 'starter/failed', reason: last ?? output.trim().split('\n').at(-1) ?? 'pip' }
}

type ProcessOptions = { env: ProcessEnv; signal: AbortSignal }

/** Maximum length of the output that is kept. Units: UTF-16 code units. */
const keptLength = 65_536
const killAfterMs = 3_000

/**
 * Runs a process to its end and keeps the end of its output.
 *
 * Shape: `code` is null where the process could not be started or was killed. Never rejects because of the process
 * itself; an abort ends it first and then throws the signal's reason.
 */
async function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<{ code: number | null; output: string }> {
  const child = start(command, args, options)
  let output = ''
  const keep = (chunk: Buffer): void => {
    output = `${output}${chunk.toString('utf8')}`.slice(-keptLength)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await endOf(child, options.signal)
  return { code, output }
}

/**
 * Runs a process and reads its standard output as it comes.
 *
 * Errors: an `Error` with the end of its error output where the process failed; the signal's reason on an abort.
 */
async function* readProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): AsyncGenerator<Buffer, void, void> {
  const child = start(command, args, options)
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString('utf8')}`.slice(-keptLength)
  })
  const ended = endOf(child, options.signal)
  // Awaited below; a reader that leaves early must not turn the abort into an unhandled rejection.
  ended.catch(() => undefined)
  let isReadWhole = false
  try {
    for await (const chunk of child.stdout) yield chunk
    isReadWhole = true
  } finally {
    if (!isReadWhole) child.kill()
  }
  const code = await ended
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${complaint.trim().split('\n').at(-1)}`)
}

function start(command: string, args: readonly string[], { env, signal }: ProcessOptions) {
  signal.throwIfAborted()
  return lateNode.childProcess().spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

function endOf(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const stop = (): void => {
    child.kill('SIGTERM')
    const hard = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.once('close', () => clearTimeout(hard))
  }
  signal.addEventListener('abort', stop, { once: true })
  child.once('error', () => resolve(null))
  child.once('close', (code) => (signal.aborted ? reject(signal.reason) : resolve(code)))
  return promise.finally(() => signal.removeEventListener('abort', stop))
}
