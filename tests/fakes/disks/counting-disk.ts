import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'

/** The real disk, with the number of calls of each operation and how many ran at once. */
export function countingDisk(): {
  disk: Disk
  counts: Partial<Record<keyof Disk, number>>
  most: Partial<Record<keyof Disk, number>>
  reset(): void
} {
  let counts: Partial<Record<keyof Disk, number>> = {}
  let most: Partial<Record<keyof Disk, number>> = {}
  const running: Partial<Record<keyof Disk, number>> = {}
  const counted = <A extends unknown[], R>(name: keyof Disk, real: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      counts[name] = (counts[name] ?? 0) + 1
      running[name] = (running[name] ?? 0) + 1
      most[name] = Math.max(most[name] ?? 0, running[name])
      try {
        return await real(...args)
      } finally {
        running[name] -= 1
      }
    }
  }
  const disk: Disk = {
    ...nodeDisk,
    read: counted('read', nodeDisk.read),
    readPlain: counted('readPlain', nodeDisk.readPlain),
    pinFolder: counted('pinFolder', nodeDisk.pinFolder),
    stat: counted('stat', nodeDisk.stat),
    lstat: counted('lstat', nodeDisk.lstat),
    lstatAll: counted('lstatAll', nodeDisk.lstatAll),
    realPath: counted('realPath', nodeDisk.realPath),
    list: counted('list', nodeDisk.list),
  }
  return {
    disk,
    get counts() {
      return counts
    },
    get most() {
      return most
    },
    reset() {
      counts = {}
      most = {}
    },
  }
}
