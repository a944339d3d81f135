import type { ChildProcess } from 'node:child_process'
import { lateNode } from '../platform/node/late-node.ts'

/** How a process ended. `code` is null where it could not be started or was killed. */
export type ProcessEnd = { code: number | null; output: string }

export type ProcessEnv = Record<string, string | undefined>

/** Maximum length of the output that is kept. Units: UTF-16 code units. */
const keptLength = 65_536
const killAfterMs = 3_000

/**
 * Runs a process to its end and keeps the end of its output.
 *
 * Shape: never rejects because of the process itself; an abort ends it first and then throws the signal's reason.
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: { env: ProcessEnv; signal: AbortSignal },
): Promise<ProcessEnd> {
  options.signal.throwIfAborted()
  const child = lateNode
    .childProcess()
    .spawn(command, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'] })
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
export async function* readProcess(
  command: string,
  args: readonly string[],
  options: { env: ProcessEnv; signal: AbortSignal },
): AsyncGenerator<Buffer, void, void> {
  options.signal.throwIfAborted()
  const child = lateNode
    .childProcess()
    .spawn(command, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'] })
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

function endOf(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.kill('SIGTERM')
      const hard = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      child.once('close', () => clearTimeout(hard))
    }
    signal.addEventListener('abort', stop, { once: true })
    child.once('error', () => {
      signal.removeEventListener('abort', stop)
      resolve(null)
    })
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason)
      else resolve(code)
    })
  })
}
