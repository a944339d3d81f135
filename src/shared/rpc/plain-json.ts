/**
 * Finds a part of `value` that JSON would lose or change; undefined where all of it survives.
 *
 * Shape: a path such as `$.items[3].at`. A property that is undefined counts as absent; a cycle is found.
 */
export function findNotJson(value: unknown): string | undefined {
  return search(value, '$', new Set())
}

function search(value: unknown, path: string, above: Set<object>): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object' || above.has(value)) return path
  const isArray = Array.isArray(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!isArray && prototype !== Object.prototype && prototype !== null) return path

  above.add(value)
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined && !isArray) continue
    const found = search(inner, isArray ? `${path}[${key}]` : `${path}.${key}`, above)
    if (found !== undefined) return found
  }
  above.delete(value)
  return undefined
}
