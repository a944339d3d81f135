import { readdir, readlink } from 'node:fs/promises'
import { readSmallText } from '../platform/files/read-regular-file.ts'

/** Source: fcntl(2), the access mode in the flags that `/proc/PID/fdinfo/FD` shows in octal. */
const accessMode = 0o3

/**
 * Which of the files some process of this user holds open for writing. Shape: absolute real paths; Linux only.
 */
export async function openForWriting(paths: readonly string[]): Promise<Set<string>> {
  const wanted = new Set(paths)
  const found = new Set<string>()
  if (wanted.size === 0) return found
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const id of processes) {
    if (id === String(process.pid)) continue
    // Processes of others, and those that end meanwhile, cannot be looked at.
    const descriptors = await readdir(`/proc/${id}/fd`).catch(() => [])
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '')
      if (!wanted.has(target)) continue
      const info = await readSmallText(`/proc/${id}/fdinfo/${descriptor}`).catch(() => '')
      const flags = /^flags:\s*(\d+)/m.exec(info)?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & accessMode) !== 0) found.add(target)
    }
  }
  return found
}
