import { readdir, readlink } from 'node:fs/promises'
import { readSmallText } from '../platform/files/read-regular-file.ts'

/** Source: fcntl(2), the access mode in the flags that `/proc/PID/fdinfo/FD` shows in octal. */
const accessMode = 0o3
/** Number of processes that are examined at the same time. */
const together = 32

/**
 * Returns the files that some process of this user holds open for writing. Shape: absolute real paths; Linux only.
 */
export async function openForWriting(paths: readonly string[]): Promise<Set<string>> {
  const wanted = new Set(paths)
  const found = new Set<string>()
  if (wanted.size === 0) return found
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const look = async (id: string): Promise<void> => {
    // Processes of other users, and those that end meanwhile, cannot be examined.
    const descriptors = await readdir(`/proc/${id}/fd`).catch(() => [])
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '')
      if (!wanted.has(target)) continue
      const info = await readSmallText(`/proc/${id}/fdinfo/${descriptor}`).catch(() => '')
      const flags = /^flags:\s*(\d+)/m.exec(info)?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & accessMode) !== 0) found.add(target)
    }
  }
  const others = processes.filter((id) => id !== String(process.pid))
  for (let at = 0; at < others.length; at += together)
    await Promise.all(others.slice(at, at + together).map(look))
  return found
}
