/**
 * Makes something at its first use and keeps it: what `Intl` compares, segments and formats with costs 5 to 20 ms of
 * processor time each, which the start does without.
 */
export function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
