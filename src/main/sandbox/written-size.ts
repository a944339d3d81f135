import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { delay } from '../../shared/delay.ts'
import { systemClock } from '../platform/clock.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { SandboxRun } from './sandbox.ts'

/** Watches what a command writes. `end` stops the watch, and returns true where the command wrote more than it may. */
export type SizeWatch = { end(): Promise<boolean> }

const pollMs = 250
/** Measuring takes at most this share of the time. */
const measuringShare = 0.1

/**
 * Calls `onTooMuch` once the command of a run has written more than `limitBytes`: into its copy, its temporary folder,
 * or its private home. The home keeps caches of many files, so it is measured only where the disk became that much fuller.
 */
export function watchSize(
  disk: Pick<Disk, 'freeBytes'>,
  { folder, privateHome, beganAtNs }: Pick<SandboxRun, 'folder' | 'privateHome' | 'beganAtNs'>,
  limitBytes: number,
  onTooMuch: () => void,
): SizeWatch {
  const ended = new AbortController()
  const freeNow = () => disk.freeBytes(folder).catch(() => undefined)
  const freeBefore = freeNow()
  let isTooMuch = false

  async function measure(): Promise<void> {
    let size = await writtenIn([join(folder, 'upper'), join(folder, 'tmp')], 0n, limitBytes)
    const [before, now] = await Promise.all([freeBefore, freeNow()])
    if (before !== undefined && now !== undefined && before - now > limitBytes)
      size += await writtenIn([privateHome], beganAtNs, limitBytes)
    if (size <= limitBytes || isTooMuch) return
    isTooMuch = true
    onTooMuch()
  }

  async function watch(): Promise<void> {
    let pauseMs = pollMs
    while (!ended.signal.aborted && !isTooMuch) {
      await delay(systemClock, pauseMs, ended.signal).catch(() => undefined)
      if (ended.signal.aborted) return
      const from = performance.now()
      await measure()
      pauseMs = Math.max(pollMs, (performance.now() - from) / measuringShare)
    }
  }

  const watching = watch()
  return {
    async end() {
      ended.abort()
      await watching
      await measure()
      return isTooMuch
    },
  }
}

/**
 * Returns the size on the disk of the files in `folders` that changed since `sinceNs`, counted until it exceeds
 * `limitBytes`. What cannot be examined, or is removed meanwhile, does not count. Units: bytes.
 */
async function writtenIn(folders: readonly string[], sinceNs: bigint, limitBytes: number): Promise<number> {
  let size = 0
  const waiting = [...folders]
  for (let folder = waiting.pop(); folder !== undefined && size <= limitBytes; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      if (!entry.isFile()) continue
      const stats = await lstat(path, { bigint: true }).catch(() => undefined)
      if (stats !== undefined && stats.ctimeNs >= sinceNs) size += Number(stats.blocks) * blockBytes
      if (size > limitBytes) return size
    }
  }
  return size
}

/** The unit of `blocks`, on every system. Units: bytes. */
const blockBytes = 512
