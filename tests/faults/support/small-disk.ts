import { onTestFinished } from 'vitest'
import { mountSmallDisk, type SmallDisk } from '../../fakes/small-disk.ts'

/** Mounts a disk of `sizeBytes` in memory; it is gone when the test has ended. */
export function smallDisk(sizeBytes: number): SmallDisk {
  const disk = mountSmallDisk(sizeBytes)
  onTestFinished(() => disk.unmount())
  return disk
}
