/**
 * Values that only this window remembers: which panes are open, which warnings were given, which suggestion is being
 * accepted. Nothing that the author wrote.
 */
export type WindowMemory = {
  read(key: string): string | null
  write(key: string, value: string): void
}

/** Keeps values in the browser's storage; without it (private mode, full), the next window knows nothing of them. */
export function createBrowserMemory(storage: Storage | null): WindowMemory {
  const fallback = new Map<string, string>()
  return {
    read: (key) => fallback.get(key) ?? storage?.getItem(`tsugi.${key}`) ?? null,
    write(key, value) {
      fallback.set(key, value)
      try {
        storage?.setItem(`tsugi.${key}`, value)
      } catch {
        // The storage is full: this window still knows the value, the next one does not.
      }
    },
  }
}
