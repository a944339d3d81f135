import { goneHash, type KnownFile } from '../../../shared/domain/session/file-reference.ts'
import type { Hunk } from '../../../shared/text/difference/hunks.ts'

/** Units: lines from 1, both ends included. */
type LineRange = { from: number; to: number }

/** Above this number the oldest files are forgotten: the model must read them again before an edit. */
const limitFiles = 500

type SeenFile = LineRange & { hash: string; ranges: readonly LineRange[] }

/**
 * The files that a session's model has seen, by content: they may be edited, and a compaction reads them again.
 *
 * Shape: real paths of the folder. One content for each file: the last that was seen.
 */
export class ReadLedger {
  #seen = new Map<string, SeenFile>()
  /** The hash of the content by path, here and in `#heard`. */
  #found = new Map<string, string>()
  #heard = new Map<string, string>()

  /** Notes lines that were shown. Shape: of the lines `shortened` only parts were: they do not count as seen. */
  note(path: string, hash: string, range: LineRange, shortened: readonly number[] = []): void {
    const before = this.#seen.get(path)
    const ranges = joined([...(before?.hash === hash ? before.ranges : []), ...without(range, shortened)])
    // The range that was seen last represents the file.
    const shown = ranges.find(({ from, to }) => from <= range.from && range.to <= to) ?? range
    this.#keep(path, { hash, ...shown, ranges })
  }

  /** Notes that a search found lines of this content: they may be edited, but the file does not count as read. */
  noteFound(path: string, hash: string): void {
    keepNewest(this.#found, path, hash)
  }

  /** Notes a content that the model was told of, or that its own call produced: it is not reported as a change. */
  heard(path: string, hash: string): void {
    keepNewest(this.#heard, path, hash)
  }

  /** True where the model has neither seen this content nor heard of it. */
  isNews(path: string, hash: string): boolean {
    return !this.knows(path, hash) && this.#heard.get(path) !== hash
  }

  /** Forgets everything heard, so that it is reported again after the conversation was taken back. */
  unhear(): void {
    this.#heard.clear()
  }

  has(path: string): boolean {
    return this.#seen.has(path) || this.#found.has(path)
  }

  /** True where this very content was seen. */
  knows(path: string, hash: string): boolean {
    return this.#seen.get(path)?.hash === hash || this.#found.get(path) === hash
  }

  /** Returns the lines of this content that were not seen. Shape: in order; all where another content was seen. */
  unread(path: string, hash: string, totalLines: number): LineRange[] {
    const file = this.#seen.get(path)
    const ranges = file?.hash === hash ? file.ranges : []
    const missing: LineRange[] = []
    let next = 1
    for (const { from, to } of ranges) {
      if (from > next) missing.push({ from: next, to: Math.min(from - 1, totalLines) })
      next = Math.max(next, to + 1)
    }
    if (next <= totalLines) missing.push({ from: next, to: totalLines })
    return missing.filter(({ from, to }) => from <= to)
  }

  /** Replaces a content by a new one: lines of the old one that were seen count as seen where the hunks move them. */
  changed(path: string, hash: string, newHash: string, hunks: readonly Hunk[]): void {
    const file = this.#seen.get(path)
    const written = hunks.map(({ newFrom, newLines }) => ({
      from: newFrom,
      to: newFrom + newLines.length - 1,
    }))
    const kept = file?.hash === hash ? file.ranges.flatMap((range) => movedBy(range, hunks)) : []
    const ranges = joined([...kept, ...written])
    const shown = written.at(-1) ?? file ?? { from: 1, to: 1 }
    const { from, to } = ranges.find((range) => range.from <= shown.from && shown.to <= range.to) ?? shown
    this.#keep(path, { hash: newHash, from, to: Math.max(from, to), ranges })
  }

  moved(from: string, to: string): void {
    const isKnown = this.#isKnownAt(from)
    for (const files of [this.#seen, this.#found, this.#heard] as Map<string, unknown>[]) {
      const entry = files.get(from)
      files.delete(from)
      if (entry !== undefined) files.set(to, entry)
    }
    if (isKnown) this.heard(from, goneHash)
  }

  /** Notes that the model's own call gave the file another content, of which the model has seen nothing. */
  replaced(path: string, hash: string): void {
    const isKnown = this.#isKnownAt(path)
    this.#seen.delete(path)
    this.#found.delete(path)
    if (isKnown) this.heard(path, hash)
  }

  /** Returns what the model knows of a file; undefined where it knows nothing. */
  fileOf(path: string): KnownFile | undefined {
    const [file, hash] = [this.#seen.get(path), this.#heard.get(path)]
    if (hash !== undefined) return { path, hash, from: 0, to: 0 }
    return file && { path, hash: file.hash, from: file.from, to: file.to }
  }

  /** Newest first. */
  filesInUse(): ({ path: string } & LineRange)[] {
    return [...this.#seen].map(([path, { from, to }]) => ({ path, from, to })).reverse()
  }

  /** Returns all files that were seen, newest first, then those that were only heard of. */
  filesKnown(): string[] {
    return [...new Set([...[...this.#seen.keys()].reverse(), ...this.#heard.keys()])]
  }

  /** Returns an independent copy. */
  copy(): ReadLedger {
    const copy = new ReadLedger()
    copy.#seen = new Map(this.#seen)
    copy.#found = new Map(this.#found)
    copy.#heard = new Map(this.#heard)
    return copy
  }

  #isKnownAt(path: string): boolean {
    return this.has(path) || this.#heard.has(path)
  }

  #keep(path: string, file: SeenFile): void {
    this.#heard.delete(path)
    keepNewest(this.#seen, path, file)
  }
}

function keepNewest<T>(files: Map<string, T>, path: string, file: T): void {
  files.delete(path)
  files.set(path, file)
  const [oldest] = files.keys()
  if (files.size > limitFiles && oldest !== undefined) files.delete(oldest)
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
