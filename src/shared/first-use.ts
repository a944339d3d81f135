/**
 * Returns a function that makes a value at its first call and keeps it: an object of `Intl` costs 5 to 20 ms of
 * processor time, which the start of the app should not spend.
 */
export function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
