import { vi } from 'vitest'

/** Tries a check until it holds; for one that needs more than `expect.poll` can say. Errors: what it threw last. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 25_000, interval: 20 })
}
