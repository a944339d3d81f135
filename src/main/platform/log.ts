import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { isAppError } from '../../shared/errors.ts'
import type { Log, LogLevel, Random } from '../deps.ts'
import { redact, redactMessage } from './log-redaction.ts'

const limitFileBytes = 5_000_000
const keptFiles = 5

/**
 * Creates the log of a host: JSON lines in `tsugi.log`, rotated by size, for the user's own reading and reports.
 *
 * Units: five files of 5 MB at most. Shape: no manuscript text and no keys, whatever callers pass in.
 * A log that cannot be written (disk full, no regular file in its place) fails silently, since a log must never stop
 * other work.
 */
export function createFileLog(options: {
  folder: string
  random: Random
  isVerbose: boolean
  /** Also writes to this stream, as `--verbose` wants it. */
  echo?: (line: string) => void
  limitBytes?: number
}): Log & { close(): void } {
  const file = openRotatedFile(options.folder, options.limitBytes ?? limitFileBytes)
  const logger = pino(
    {
      level: options.isVerbose ? 'debug' : 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    {
      write(line: string) {
        file.write(line)
        options.echo?.(line)
      },
    },
  )
  return {
    write(level: LogLevel, event: string, data: Record<string, unknown> = {}) {
      logger[level]({ event, ...redact(data) })
    },
    bug(error, where) {
      const logId = options.random.id().slice(0, 12)
      logger.error({ event: 'bug', logId, where, ...describe(error) })
      return logId
    },
    close: () => file.close(),
  }
}

/** A log that goes nowhere, for tests and tools. */
export const silentLog: Log = { write: () => undefined, bug: () => 'none' }

function describe(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { thrown: typeof error }
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? []
  return {
    name: error.name,
    message: isAppError(error) ? error.info.code : redactMessage(error.message),
    stack: frames.slice(0, 20).map((line) => line.trim()),
    ...(error.cause === undefined || depth >= 3 ? {} : { cause: describe(error.cause, depth + 1) }),
  }
}

function openRotatedFile(folder: string, limitBytes: number): { write(line: string): void; close(): void } {
  const nameOf = (age: number): string => join(folder, age === 0 ? 'tsugi.log' : `tsugi.${age}.log`)
  const open = (): number | null => openToAppend(nameOf(0))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let descriptor = open()
  let sizeBytes = descriptor === null ? 0 : fstatSync(descriptor).size
  let isClosed = false

  const rotate = (): void => {
    if (descriptor !== null) closeSync(descriptor)
    descriptor = null
    try {
      rmSync(nameOf(keptFiles - 1), { force: true })
      for (let age = keptFiles - 2; age >= 0; age--) {
        if (existsSync(nameOf(age))) renameSync(nameOf(age), nameOf(age + 1))
      }
    } catch {
      // The file grows on until the next rotation.
    }
    sizeBytes = 0
  }

  return {
    write(line) {
      if (isClosed) return
      try {
        if (sizeBytes > 0 && sizeBytes + Buffer.byteLength(line) > limitBytes) rotate()
        descriptor ??= open()
        if (descriptor !== null) sizeBytes += writeSync(descriptor, line)
      } catch {
        // A log cannot report its own failure (see above). The next line tries again.
        if (!isOpenDescriptor(descriptor)) descriptor = null
      }
    },
    close() {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
      isClosed = true
    },
  }
}

/** Flags that open a log for appending without waiting for the reader of a pipe and without following a link. */
const appending =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0)

/** Null for anything but a regular file. */
function openToAppend(path: string): number | null {
  try {
    const descriptor = openSync(path, appending, 0o600)
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
  } catch {
    // A log cannot report its own failure.
  }
  return null
}

function isOpenDescriptor(descriptor: number | null): boolean {
  if (descriptor === null) return false
  try {
    fstatSync(descriptor)
    return true
  } catch {
    return false
  }
}
