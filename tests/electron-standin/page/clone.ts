/**
 * Copies a value that crosses between worlds or processes: JSON values only, and functions where `onFunction`
 * accepts them. Also runs in pages, as source text, so that it must not use other functions.
 *
 * Errors: throws where Electron would clone something that the stand-in does not, instead of losing it.
 */
export function cloneable(
  value: unknown,
  onFunction?: (value: (...args: unknown[]) => unknown) => unknown,
): unknown {
  const copy = (inner: unknown): unknown => {
    if (inner === null || typeof inner === 'string' || typeof inner === 'boolean') return inner
    if (typeof inner === 'number' && Number.isFinite(inner)) return inner
    if (typeof inner === 'function' && onFunction) return onFunction(inner as (...args: unknown[]) => unknown)
    if (Array.isArray(inner)) return inner.map(copy)
    if (typeof inner === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(inner))) {
      const entries = Object.entries(inner).filter((entry) => entry[1] !== undefined)
      return Object.fromEntries(entries.map(([key, each]) => [key, copy(each)]))
    }
    throw new Error(`An object could not be cloned by the Electron stand-in: ${typeof inner}`)
  }
  return value === undefined ? null : copy(value)
}
