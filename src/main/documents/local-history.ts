import type { HistoryEntry, HistoryReason } from '../../shared/domain/work/history-entry.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock } from '../deps.ts'
import type { HistoryRepository, StoredSnapshot } from '../store/works/history-repository.ts'

/** Snapshots of files as the author works. Shape: `file` is the real absolute path. */
export type LocalHistory = ReturnType<typeof createLocalHistory>

type Stringable = { toString(): string }
type Later = { reason: HistoryReason; text: Stringable; at: number; onError: (error: unknown) => void }

/** Delay of `addSoon`, in which a window that opens a text receives it. Units: ms. */
const laterMs = 300
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const addsBetweenPrunings = 20

/**
 * Returns the ids of snapshots to remove. Keeps all of the last day, then the last one of each hour for a week, of each
 * day for ninety days, of each week for ever; also those that the author made by hand, and those of deleted files.
 */
export function snapshotsToPrune(newestFirst: readonly StoredSnapshot[], now: number): string[] {
  const kept = new Set<string>()
  const pruned: string[] = []
  for (const { id, at, reason } of newestFirst) {
    const age = now - at
    if (age <= dayMs || isKeptForEver(reason)) continue
    const spanMs = age <= 7 * dayMs ? hourMs : age <= 90 * dayMs ? dayMs : 7 * dayMs
    const span = `${spanMs}:${Math.floor(at / spanMs)}`
    if (kept.has(span)) pruned.push(id)
    kept.add(span)
  }
  return pruned
}

function isKeptForEver(reason: HistoryReason): boolean {
  return reason === 'manual' || reason === 'delete'
}

export function createLocalHistory(deps: { clock: Clock; repository: HistoryRepository }) {
  const { clock, repository } = deps
  const adds = new Map<string, number>()

  const prune = (file: string): void => {
    const count = adds.get(file) ?? 0
    adds.set(file, count + 1)
    if (count % addsBetweenPrunings !== 0) return
    repository.remove(snapshotsToPrune(repository.list(file), clock.now()))
  }

  const later = new Map<string, Later>()
  let timer: { cancel(): void } | undefined

  const addAt = (file: string, reason: HistoryReason, text: string, at: number): StoredSnapshot => {
    const newest = repository.add({ file, at, reason, text })
    // A snapshot of the same text that was taken automatically would be pruned one day.
    const isRetaken = isKeptForEver(reason) && !isKeptForEver(newest.reason)
    const snapshot = isRetaken ? repository.retake(newest, at, reason) : newest
    prune(file)
    return snapshot
  }

  const settle = (): void => {
    timer?.cancel()
    timer = undefined
    for (const [file, { reason, text, at, onError }] of [...later]) {
      later.delete(file)
      try {
        addAt(file, reason, text.toString(), at)
      } catch (error) {
        onError(error)
      }
    }
  }

  return {
    add(file: string, reason: HistoryReason, text: string): StoredSnapshot {
      settle()
      return addAt(file, reason, text, clock.now())
    },
    /** Adds a text that is also on disk after a delay, or before the next other call of the history. */
    addSoon(file: string, reason: HistoryReason, text: Stringable, onError: (error: unknown) => void): void {
      if (later.has(file)) settle()
      later.set(file, { reason, text, at: clock.now(), onError })
      timer ??= clock.setTimeout(settle, laterMs)
    },
    /** Adds pending texts now. A file is written only after its text is in the history. */
    settle,
    /** Returns a snapshot as the window gets it; `path` is the window's name of the file. */
    entryOf: (snapshot: StoredSnapshot, path: string): HistoryEntry => entryOf(repository, snapshot, path),
    /** Returns the entries, newest first; `path` is the name of the file in them. */
    list(file: string, path: string): HistoryEntry[] {
      settle()
      return repository.list(file).map((snapshot) => entryOf(repository, snapshot, path))
    },
    /** Errors: `file/not-found` where the file has no such snapshot. */
    read(file: string, entryId: string): string {
      settle()
      const found = repository.read(entryId)
      if (found?.snapshot.file !== file) throw new AppError({ code: 'file/not-found', path: file })
      return found.text
    },
    moved(from: string, to: string): void {
      settle()
      repository.move(from, to)
    },
    /** Returns the files whose names begin with `prefix`. */
    filesUnder: (prefix: string): string[] => repository.filesUnder(prefix),
    /** Moves the snapshots up to `at`; later ones belong to another file of the same name. */
    movedUntil(from: string, to: string, at: number): void {
      settle()
      repository.moveUntil(from, to, at)
    },
  }
}

function entryOf(repository: Pick<HistoryRepository, 'counted'>, snapshot: StoredSnapshot, path: string) {
  const { id, at, reason } = snapshot
  return { id, path, at, reason, ...repository.counted(snapshot) }
}
