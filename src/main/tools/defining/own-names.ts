/** Our names of arguments, by the names that other programs' tools have. */
export type OtherNames = Readonly<Record<string, string>>

/**
 * Renames arguments from other programs' names, or from other spellings of ours (`oldText` for `old_text`), to ours. An
 * argument that is given by two names with different values keeps the other name, which the tool then refuses.
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
