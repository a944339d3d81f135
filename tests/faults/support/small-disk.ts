import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'

/** A separate disk that a test may fill. Shape: `folder` is its mount point. */
export type SmallDisk = {
  folder: string
  /** Leaves not one block free. */
  fill(): void
  /** Gives back what `fill` took. */
  free(): void
}

/** Why there can be no small disk here; undefined where there can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'needs root on Linux to mount a small disk'
  const folder = tempFolder()
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (status !== 0) return `no small disk can be mounted: ${String(stderr).trim()}`
  execFileSync('umount', [folder])
  return undefined
}

/** Mounts a disk of `sizeBytes` in memory; it is gone when the test has ended. */
export function smallDisk(sizeBytes: number): SmallDisk {
  const folder = tempFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder])
  // Unmounted lazily: programs that still use it must not block the clean-up of other tests.
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const filler = join(folder, '.filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      const block = Buffer.alloc(4096, 1)
      try {
        while (statfsSync(folder).bfree > 0) writeSync(file, block)
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
  }
}
