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
      // Without keys, and with only the length of people's texts.
      const shown = Object.entries(data).map(([key, value]) => [key, redactValue(key, value, 0)])
      logger[level]({ event, ...Object.fromEntries(shown) })
    },
    bug(error, where) {
      const logId = options.random.id().slice(0, 12)
      logger.error({ event: 'bug', logId, where, ...describe(error) })
      return logId
    },
    close: () => file.close(),
  }
}

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

const secretKey = /(key|secret|password|authorization|cookie|credential|bearer)s?$|^token$|accessToken$/i
const proseKey =
  /^(text|prompt|prompts|content|contents|body|completion|sample|memo|synopsis|setting|plot|title|value|values|sourceText|authorsNote|lead|message|query)$/i
const limitStringChars = 300

/**
 * Returns the part of an error message that may be logged: quoted parts and all non-ASCII text may be manuscript and
 * are removed.
 */
function redactMessage(message: string): string {
  return message
    .slice(0, 2000)
    .replace(/(["'`]).*?\1/gs, '$1…$1')
    .replace(/[^\n\x20-\x7e]+/g, '…')
    .slice(0, limitStringChars)
}

function redactValue(key: string, value: unknown, depth: number): unknown {
  if (secretKey.test(key)) return '[redacted]'
  if (typeof value === 'string') {
    if (proseKey.test(key)) return `[${value.length} units]`
    return value.length > limitStringChars ? `${value.slice(0, limitStringChars)}…` : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= 4) return '[deep]'
  if (value instanceof Error) return { name: value.name, message: redactMessage(value.message) }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redactValue(key, item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, redactValue(name, inner, depth + 1)]),
  )
}
