/** Units: lines from 1, both ends included. */
export type LineRange = { from: number; to: number }

/**
 * Which files a session's model has seen, by content: what may be edited, and what a compaction reads again.
 *
 * Shape: real paths of the folder. One content a file: the last that was seen.
 */
export type ReadLedger = {
  note(path: string, hash: string, range: LineRange): void
  has(path: string): boolean
  /** True where this very content was seen. */
  knows(path: string, hash: string): boolean
  moved(from: string, to: string): void
  forget(path: string): void
  /** Newest first. */
  filesInUse(): ({ path: string } & LineRange)[]
  /** The same by now, and of its own from now on. */
  copy(): ReadLedger
}

/** Beyond these the oldest are forgotten: the model must read them again before an edit. */
const limitFiles = 500

type Seen = Map<string, LineRange & { hash: string }>

export function createReadLedger(seen: Seen = new Map()): ReadLedger {
  return {
    note(path, hash, range) {
      const before = seen.get(path)
      const isConnected = before?.hash === hash && range.from <= before.to + 1 && before.from <= range.to + 1
      seen.delete(path)
      seen.set(path, {
        hash,
        from: isConnected ? Math.min(before.from, range.from) : range.from,
        to: isConnected ? Math.max(before.to, range.to) : range.to,
      })
      const [oldest] = seen.keys()
      if (seen.size > limitFiles && oldest !== undefined) seen.delete(oldest)
    },
    has: (path) => seen.has(path),
    knows: (path, hash) => seen.get(path)?.hash === hash,
    moved(from, to) {
      const entry = seen.get(from)
      seen.delete(from)
      if (entry !== undefined) seen.set(to, entry)
    },
    forget: (path) => void seen.delete(path),
    filesInUse: () => [...seen].map(([path, { from, to }]) => ({ path, from, to })).reverse(),
    copy: () => createReadLedger(new Map(seen)),
  }
}
