import { goneHash, type KnownFile } from '../../../shared/domain/session/file-reference.ts'
import type { Hunk } from '../../../shared/text/difference/hunks.ts'

/** Units: lines from 1, both ends included. */
type LineRange = { from: number; to: number }

/**
 * The files that a session's model has seen, by content: they may be edited, and a compaction reads them again.
 *
 * Shape: real paths of the folder. One content for each file: the last that was seen.
 */
export type ReadLedger = {
  /** Notes lines that were shown. Shape: of the lines `shortened` only parts were: they do not count as seen. */
  note(path: string, hash: string, range: LineRange, shortened?: readonly number[]): void
  /** Notes that a search found lines of this content: they may be edited, but the file does not count as read. */
  noteFound(path: string, hash: string): void
  /** Notes a content that the model was told of, or that its own call produced: it is not reported as a change. */
  heard(path: string, hash: string): void
  /** True where the model has neither seen this content nor heard of it. */
  isNews(path: string, hash: string): boolean
  /** Forgets everything heard, so that it is reported again after the conversation was taken back. */
  unhear(): void
  has(path: string): boolean
  /** True where this very content was seen. */
  knows(path: string, hash: string): boolean
  /** Returns the lines of this content that were not seen. Shape: in order; all where another content was seen. */
  unread(path: string, hash: string, totalLines: number): LineRange[]
  /** Replaces a content by a new one: lines of the old one that were seen count as seen where the hunks move them. */
  changed(path: string, hash: string, newHash: string, hunks: readonly Hunk[]): void
  moved(from: string, to: string): void
  /** Notes that the model's own call gave the file another content, of which the model has seen nothing. */
  replaced(path: string, hash: string): void
  /** Returns what the model knows of a file; undefined where it knows nothing. */
  fileOf(path: string): KnownFile | undefined
  /** Newest first. */
  filesInUse(): ({ path: string } & LineRange)[]
  /** Returns all files that were seen, newest first, then those that were only heard of. */
  filesKnown(): string[]
  /** Returns an independent copy. */
  copy(): ReadLedger
}

/** Above this number the oldest files are forgotten: the model must read them again before an edit. */
const limitFiles = 500

type SeenFile = LineRange & { hash: string; ranges: readonly LineRange[] }
type Seen = Map<string, SeenFile>
/** The hash of the content by path. */
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
    note(path, hash, range, shortened = []) {
      const before = seen.get(path)
      const ranges = joined([...(before?.hash === hash ? before.ranges : []), ...without(range, shortened)])
      // The range that was seen last represents the file.
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

/** Returns the parts of a range between these lines. */
function without({ from, to }: LineRange, lines: readonly number[]): LineRange[] {
  const inside = lines.filter((line) => from <= line && line <= to).toSorted((a, b) => a - b)
  const starts = [from, ...inside.map((line) => line + 1)]
  return starts.map((start, index) => ({ from: start, to: (inside[index] ?? to + 1) - 1 }))
}

/** Returns the ranges in order, with those that touch merged. */
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

/** Returns where the unchanged lines of a range stand after the hunks. */
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
