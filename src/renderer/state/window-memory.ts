/** What only this window remembers, such as open panes and warnings given; nothing that the author wrote. */
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
