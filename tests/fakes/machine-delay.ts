import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { tempFolder } from './disks/temp-folder.ts'

/** Interval of the timer whose delay is measured. Units: milliseconds. */
const everyMs = 10

/**
 * Measures the delays of this machine: a busy one delays timers and the disk, so that the app cannot keep a promise
 * such as saving within a second.
 */
export type MachineDelay = {
  /** Returns the sum of all timers' delays since then, plus the longest write to the disk. Units: milliseconds. */
  since(from: number): number
  stop(): Promise<void>
}

export function watchMachine(): MachineDelay {
  const file = join(tempFolder(), 'probe')
  const late: { at: number; ms: number }[] = []
  const writes: { from: number; to: number }[] = []
  let isStopped = false
  let lastAt = Date.now()
  let writeFrom = lastAt
  const timer = setInterval(() => {
    const now = Date.now()
    if (now - lastAt > everyMs) late.push({ at: now, ms: now - lastAt - everyMs })
    lastAt = now
  }, everyMs)
  const probe = async (): Promise<void> => {
    while (!isStopped) {
      writeFrom = Date.now()
      const handle = await open(file, 'w')
      await handle.writeFile('probe')
      await handle.sync()
      await handle.close()
      await rm(file)
      writes.push({ from: writeFrom, to: Date.now() })
      await new Promise((resolve) => setTimeout(resolve, 10 * everyMs))
    }
  }
  const probing = probe()
  return {
    since(from) {
      const now = Date.now()
      const timers = late.filter(({ at }) => at >= from).reduce((sum, { ms }) => sum + ms, 0)
      const sinceLast = Math.max(0, now - lastAt - everyMs)
      const longest = writes.filter(({ to }) => to >= from).map((write) => write.to - write.from)
      return timers + sinceLast + Math.max(0, now - writeFrom, ...longest)
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await probing
    },
  }
}
