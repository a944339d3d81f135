import type { Disk } from '../../src/main/platform/files/disk.ts'

/** A disk of which a test knows when it has done what it was asked. */
export type AwaitedDisk = { disk: Disk; settled(): Promise<void> }

/**
 * Follows the calls of a real disk. Where a test moves the time itself, the disk must have answered before: on a busy
 * machine minutes of that time pass during one read, which then counts as one without an answer.
 */
export function awaitedDisk(real: Disk): AwaitedDisk {
  const pending = new Set<Promise<unknown>>()
  const disk = new Proxy(real, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args)
        if (result instanceof Promise) {
          const call = result.catch(() => undefined).finally(() => pending.delete(call))
          pending.add(call)
        }
        return result
      }
    },
  })
  return {
    disk,
    async settled() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
