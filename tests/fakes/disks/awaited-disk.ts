import type { Disk } from '../../../src/main/platform/files/disk.ts'

/** A disk that lets a test wait until all its operations have ended. */
export type AwaitedDisk = { disk: Disk; settled(): Promise<void> }

/**
 * Follows the calls of a real disk. A test that advances the clock must first wait for the disk: on a busy machine
 * minutes of that clock could pass during one read, which would then count as stalled.
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
