import { goneHash, type KnownFile } from '../../../shared/domain/session/file-reference.ts'
import type { Hunk } from '../../../shared/text/difference/hunks.ts'

/** Units: lines from 1, both ends included. */
type LineRange = { from: number; to: number }

/**
 * Which files a session's model has seen, by content: what may be edited, and what a compaction reads again.
 *
 * Shape: real paths of the folder. One content a file: the last that was seen.
 */
export type ReadLedger = {
  note(path: string, hash: string, range: LineRange): void
  /** Lines of this content were found by a search: enough for an edit of them, no reading of the file. */
  noteFound(path: string, hash: string): void
  /** The model was told that the file is this content by now, or that came of a call of its own: it is no news. */
  heard(path: string, hash: string): void
  /** True where the model has neither seen this content nor heard of it. */
  isNews(path: string, hash: string): boolean
  /** What was heard of is news again: the conversation was taken back. */
  unhear(): void
  has(path: string): boolean
  /** True where this very content was seen. */
  knows(path: string, hash: string): boolean
  /** The lines of this content that were not seen, of so many. Shape: in order; all of them for another content. */
  unread(path: string, hash: string, totalLines: number): LineRange[]
  /** Another content in place of one that was seen: what was seen of the old one is seen of it, as its lines went. */
  changed(path: string, hash: string, newHash: string, hunks: readonly Hunk[]): void
  moved(from: string, to: string): void
  /** It is another content by the model's own doing, of which the model has seen nothing. */
  replaced(path: string, hash: string): void
  /** What the model has of a file; undefined where it knows nothing of it. */
  fileOf(path: string): KnownFile | undefined
  /** Newest first. */
  filesInUse(): ({ path: string } & LineRange)[]
  /** All that were seen, newest first, then those that were only heard of. */
  filesKnown(): string[]
  /** The same by now, and of its own from now on. */
  copy(): ReadLedger
}

/** Beyond these the oldest are forgotten: the model must read them again before an edit. */
const limitFiles = 500

type SeenFile = LineRange & { hash: string; ranges: readonly LineRange[] }
type Seen = Map<string, SeenFile>
/** The content by file. */
type Found = Map<string, string>

export function createReadLedger(
  seen: Seen = new Map(),
  found: Found = new Map(),
  heard: Found = new Map(),
): ReadLedger {
  const isKnownAt = (path: string): boolean => seen.has(path) || found.has(path) || heard.has(path)
  const keep = (path: string, file: SeenFile): void => {
    heard.delete(path)
    keepNewest(seen, path, file)
  }

  return {
    note(path, hash, range) {
      const before = seen.get(path)
      const ranges = joined([...(before?.hash === hash ? before.ranges : []), range])
      // The stretch that was seen last stands for the file.
      const shown = ranges.find(({ from, to }) => from <= range.from && range.to <= to) ?? range
      keep(path, { hash, ...shown, ranges })
    },
    noteFound: (path, hash) => keepNewest(found, path, hash),
    has: (path) => seen.has(path) || found.has(path),
    heard: (path, hash) => keepNewest(heard, path, hash),
    isNews: (path, hash) => ![seen.get(path)?.hash, found.get(path), heard.get(path)].includes(hash),
    unhear: () => heard.clear(),
    knows: (path, hash) => seen.get(path)?.hash === hash || found.get(path) === hash,
    unread(path, hash, totalLines) {
      const file = seen.get(path)
      const ranges = file?.hash === hash ? file.ranges : []
      const missing: LineRange[] = []
      let next = 1
      for (const { from, to } of ranges) {
        if (from > next) missing.push({ from: next, to: Math.min(from - 1, totalLines) })
        next = Math.max(next, to + 1)
      }
      if (next <= totalLines) missing.push({ from: next, to: totalLines })
      return missing.filter(({ from, to }) => from <= to)
    },
    changed(path, hash, newHash, hunks) {
      const file = seen.get(path)
      const written = hunks.map(({ newFrom, newLines }) => ({
        from: newFrom,
        to: newFrom + newLines.length - 1,
      }))
      const kept = file?.hash === hash ? file.ranges.flatMap((range) => movedBy(range, hunks)) : []
      const ranges = joined([...kept, ...written])
      const shown = written.at(-1) ?? file ?? { from: 1, to: 1 }
      const { from, to } = ranges.find((range) => range.from <= shown.from && shown.to <= range.to) ?? shown
      keep(path, { hash: newHash, from, to: Math.max(from, to), ranges })
    },
    moved(from, to) {
      const isKnown = isKnownAt(from)
      for (const files of [seen, found, heard] as Map<string, unknown>[]) rename(files, from, to)
      if (isKnown) keepNewest(heard, from, goneHash)
    },
    replaced(path, hash) {
      const isKnown = isKnownAt(path)
      seen.delete(path)
      found.delete(path)
      if (isKnown) keepNewest(heard, path, hash)
    },
    fileOf(path) {
      const [file, hash] = [seen.get(path), heard.get(path)]
      if (hash !== undefined) return { path, hash, from: 0, to: 0 }
      return file && { path, hash: file.hash, from: file.from, to: file.to }
    },
    filesInUse: () => [...seen].map(([path, { from, to }]) => ({ path, from, to })).reverse(),
    filesKnown: () => [...new Set([...[...seen.keys()].reverse(), ...heard.keys()])],
    copy: () => createReadLedger(new Map(seen), new Map(found), new Map(heard)),
  }
}

function keepNewest<T>(files: Map<string, T>, path: string, file: T): void {
  files.delete(path)
  files.set(path, file)
  const [oldest] = files.keys()
  if (files.size > limitFiles && oldest !== undefined) files.delete(oldest)
}

function rename<T>(files: Map<string, T>, from: string, to: string): void {
  const entry = files.get(from)
  files.delete(from)
  if (entry !== undefined) files.set(to, entry)
}

/** In order, those that touch as one. */
function joined(ranges: readonly LineRange[]): LineRange[] {
  const result: LineRange[] = []
  for (const { from, to } of ranges
    .filter((range) => range.from <= range.to)
    .toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

/** Where the unchanged lines of a range stand after the hunks. */
function movedBy(range: LineRange, hunks: readonly Hunk[]): LineRange[] {
  const pieces: LineRange[] = []
  let { from } = range
  let shift = 0
  for (const { oldFrom, oldLines, newLines } of hunks) {
    pieces.push({ from: from + shift, to: Math.min(range.to, oldFrom - 1) + shift })
    from = Math.max(from, oldFrom + oldLines.length)
    shift += newLines.length - oldLines.length
  }
  pieces.push({ from: from + shift, to: range.to + shift })
  return pieces.filter((piece) => piece.from <= piece.to)
}
