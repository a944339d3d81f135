/** Names of arguments that other programs' tools have, by the names that ours have. */
export type OtherNames = Readonly<Record<string, string>>

/**
 * Takes other programs' names of arguments for ours. An argument that is given by two names with different values
 * stays as it is, and the tool knows no such name.
 */
export function withOwnNames(
  isOwn: (name: string) => boolean,
  given: Readonly<Record<string, unknown>>,
  others: OtherNames,
): Record<string, unknown> {
  const args = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) if (isOwn(name)) args.set(name, value)
  for (const [name, value] of Object.entries(given)) {
    if (isOwn(name)) continue
    const own = Object.hasOwn(others, name) ? others[name] : undefined
    if (own === undefined || !isOwn(own) || (args.has(own) && args.get(own) !== value)) args.set(name, value)
    else args.set(own, value)
  }
  return Object.fromEntries(args)
}
