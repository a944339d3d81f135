import { vi } from 'vitest'

/** Repeats a check until it holds; for checks that `expect.poll` cannot express. Errors: its last error. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 60_000, interval: 20 })
}
