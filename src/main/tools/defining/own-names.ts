/** Names of arguments that other programs' tools have, by the names that ours have. */
export type OtherNames = Readonly<Record<string, string>>

/**
 * Takes other programs' names of arguments for ours, and ours in another spelling (`oldText` for `old_text`). An
 * argument that is given by two names with different values stays as it is, and the tool knows no such name.
 */
export function withOwnNames(
  ownNames: readonly string[],
  given: Readonly<Record<string, unknown>>,
  others: OtherNames,
): Record<string, unknown> {
  const args = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) if (ownNames.includes(name)) args.set(name, value)
  for (const [name, value] of Object.entries(given)) {
    if (ownNames.includes(name)) continue
    const other = Object.hasOwn(others, name) ? others[name] : undefined
    const own = ownNames.find((one) => one === other || spelling(one) === spelling(name))
    if (own === undefined || (args.has(own) && args.get(own) !== value)) args.set(name, value)
    else args.set(own, value)
  }
  return Object.fromEntries(args)
}

function spelling(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
