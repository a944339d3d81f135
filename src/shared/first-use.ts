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

/** Loads something once. After a failure, which the caller of `load` gets, the next call tries again. */
export function createLateLoader<T>(make: () => Promise<T>) {
  let loading: Promise<T> | undefined
  return {
    load() {
      loading ??= make().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      return loading
    },
    /** Returns what is loaded or being loaded; undefined where there is nothing, or the loading fails. */
    ifLoading: async () => loading?.catch(() => undefined),
  }
}
