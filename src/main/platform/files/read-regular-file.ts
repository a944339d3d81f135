import { constants, type Stats } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { AppError } from '../../../shared/errors.ts'

export type RegularFileOptions = {
  /** Refuses a last name that is a link. Links on the way are the caller's to resolve. */
  isLinkRefused?: boolean
  /** How long one system call may take. Tests shorten it. */
  stallMs?: number
  /** The file system; absent: Node's. Tests pass one that never answers. */
  files?: Pick<typeof nodeFiles, 'open' | 'stat' | 'lstat'>
}

/** A network file system that wakes a disk needs seconds. */
const defaultStallMs = 10_000
const chunkBytes = 1024 * 1024
const nonBlocking = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Reads a whole file. All files that the host opens are read by this function.
 *
 * Only a regular file is opened; `open` cannot block, the type is checked again on the open file, no more than
 * `limitBytes` enter the memory whatever the size claims, and each system call has a time limit.
 *
 * Errors: `file/too-large`; `file/failed` for anything but a regular file and for a file system that does not
 * answer; else Node's own.
 */
export async function readRegularFile(
  path: string,
  limitBytes: number,
  options: RegularFileOptions = {},
): Promise<Buffer> {
  const { file, sizeBytes } = await openRegularFile(path, options)
  const stallMs = options.stallMs ?? defaultStallMs
  const refuse = (size: number): never => {
    throw new AppError({ code: 'file/too-large', path, sizeBytes: size, limitBytes })
  }
  try {
    if (sizeBytes > limitBytes) refuse(sizeBytes)
    const chunks: Buffer[] = []
    let total = 0
    // One byte more than expected shows the end; a file that claims no size (procfs) is read to its end.
    let wanted = Math.min(sizeBytes, limitBytes) + 1
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(wanted - total, 4096)))
      const { bytesRead } = await inTime(file.read(chunk, 0, chunk.length, total), path, stallMs)
      if (bytesRead === 0) break
      total += bytesRead
      if (total > limitBytes) refuse(total)
      chunks.push(chunk.subarray(0, bytesRead))
      // A byte beyond the size was requested and none came: the file ends here.
      if (total === sizeBytes && bytesRead < chunk.length) break
      wanted = Math.max(wanted, total + 1)
    }
    return Buffer.concat(chunks, total)
  } finally {
    await inTime(file.close(), path, stallMs).catch(() => undefined)
  }
}

/** Reads a part of a file. Errors: as `readRegularFile`; `file/failed` where the file ends before. */
export async function readPart(
  path: string,
  fromByte: number,
  sizeBytes: number,
  options: RegularFileOptions = {},
): Promise<Buffer> {
  const { file } = await openRegularFile(path, options)
  const stallMs = options.stallMs ?? defaultStallMs
  try {
    const bytes = Buffer.allocUnsafe(sizeBytes)
    for (let at = 0; at < sizeBytes; ) {
      const { bytesRead } = await inTime(file.read(bytes, at, sizeBytes - at, fromByte + at), path, stallMs)
      if (bytesRead === 0) throw new AppError({ code: 'file/failed', path, reason: 'ends too early' })
      at += bytesRead
    }
    return bytes
  } finally {
    await inTime(file.close(), path, stallMs).catch(() => undefined)
  }
}

/**
 * Opens a regular file for reading, and nothing else. The caller closes it.
 *
 * Errors: as `readRegularFile`.
 */
export async function openRegularFile(
  path: string,
  { isLinkRefused = false, stallMs = defaultStallMs, files = nodeFiles }: RegularFileOptions = {},
): Promise<{ file: nodeFiles.FileHandle; sizeBytes: number; stats: Stats }> {
  // Examined before it is opened, because opening a device has effects; and again once it is open.
  refuseOther(await inTime(isLinkRefused ? files.lstat(path) : files.stat(path), path, stallMs), path)
  const opening = files.open(path, nonBlocking | (isLinkRefused ? (constants.O_NOFOLLOW ?? 0) : 0))
  const file = await inTime(opening, path, stallMs, () => {
    // The descriptor of an `open` that answers too late.
    opening.then(closeInBackground, () => undefined)
  })
  try {
    const stats = await inTime(file.stat(), path, stallMs)
    refuseOther(stats, path)
    return { file, sizeBytes: stats.size, stats }
  } catch (error) {
    closeInBackground(file)
    throw error
  }
}

/** Files of the installation, of the data folder and of the system; the largest is a grammar of megabytes. */
const limitSmallBytes = 64 * 1024 * 1024

/** Reads a small file that is no part of a work. Errors: as `readRegularFile`. */
export function readSmallFile(path: string): Promise<Buffer> {
  return readRegularFile(path, limitSmallBytes)
}

/** Reads a small file as `readSmallFile` does, as UTF-8 text. */
export async function readSmallText(path: string): Promise<string> {
  return (await readSmallFile(path)).toString('utf8')
}

function refuseOther(stats: Stats, path: string): void {
  if (!stats.isFile()) throw new AppError({ code: 'file/failed', path, reason: 'no plain file' })
}

/** Closes a file without waiting: the file system may not answer, and nothing was written. */
function closeInBackground(file: nodeFiles.FileHandle): void {
  file.close().catch(() => undefined)
}

/**
 * Waits for a system call, with a time limit. An answer that came while this process was held up, or the machine slept,
 * counts: the event loop runs expired timers first, so the answer gets one more turn.
 *
 * Errors: `file/failed` where the file system does not answer in `stallMs`.
 */
export function inTime<T>(
  pending: Promise<T>,
  path: string,
  stallMs: number = defaultStallMs,
  onLate?: () => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let isAnswered = false
  const giveUp = (): void => {
    if (isAnswered) return
    onLate?.()
    reject(new AppError({ code: 'file/failed', path, reason: 'no answer' }))
  }
  const timer = setTimeout(() => setImmediate(giveUp), stallMs)
  const settle = (): void => {
    isAnswered = true
    clearTimeout(timer)
  }
  pending.then(resolve, reject).finally(settle)
  return promise
}
