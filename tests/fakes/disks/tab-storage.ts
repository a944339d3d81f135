/** The storage of a tab, as far as it is used; it is full for values longer than `limit` characters. */
export function tabStorage(limit = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
    setItem(key, value) {
      if (value.length > limit) throw new DOMException('full', 'QuotaExceededError')
      items.set(key, value)
    },
  }
}
