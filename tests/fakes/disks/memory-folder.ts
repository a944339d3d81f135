import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const place = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/** Whether the system has a file system in memory with room for the tests; a container's has often 64 MB in all. */
export function hasMemoryPlace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(place)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}

/**
 * Creates a folder in memory for the files of tests: the disk's file system takes a quarter of the processor time of
 * tests that write files. It is removed when this process ends; folders of ended processes are removed now.
 *
 * Shape: absolute path; undefined where the system has no such place, or `TMPDIR` names another.
 */
export function memoryFolder(): string | undefined {
  if (process.env.TMPDIR !== undefined || !hasMemoryPlace()) return undefined
  // Only what is this user's own may be removed.
  const name = `tsugi-tests-${userInfo().uid}-`
  for (const left of readdirSync(place)) {
    if (left.startsWith(name) && !isRunning(Number(left.slice(name.length))))
      rmSync(join(place, left), { recursive: true, force: true })
  }
  const folder = join(place, `${name}${process.pid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
