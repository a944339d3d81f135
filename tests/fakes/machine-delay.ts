import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { tempFolder } from './temp-folder.ts'

/** How often a timer is looked at. Units: milliseconds. */
const everyMs = 10

/**
 * How much later than it should this machine does things: a busy one lets timers and the disk wait, and who
 * promises something within a second cannot keep it there.
 */
export type MachineDelay = {
  /** What timers were late by since then, all in all, and the longest write to the disk. Units: milliseconds. */
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
