/** Returns the input with which a watch gives a fresh snapshot; see `SlowReader`. */
export function withoutAfterSeq(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const { afterSeq: _, ...rest } = input as Record<string, unknown>
  return rest
}
