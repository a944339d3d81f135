import type { HistoryEntry, HistoryReason } from '../../shared/domain/history-entry.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock } from '../deps.ts'
import type { HistoryRepository, StoredSnapshot } from '../store/history-repository.ts'

/** Snapshots of files as the author works. Shape: `file` is the real absolute path. */
export type LocalHistory = {
  add(file: string, reason: HistoryReason, text: string): StoredSnapshot
  /** Newest first; `path` is what the entries call the file. */
  list(file: string, path: string): HistoryEntry[]
  /** Errors: `file/not-found` where the file has no such snapshot. */
  read(file: string, entryId: string): string
  moved(from: string, to: string): void
  /** The snapshots up to `at` go with the file; later ones are of another file of the same name. */
  movedUntil(from: string, to: string, at: number): void
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const addsBetweenPrunings = 20

/**
 * What is kept: everything of the last day, then the last snapshot of each hour for a week, of each day for
 * ninety days, of each week for ever. Snapshots that the author made by hand, and those of deleted files, stay.
 */
export function snapshotsToPrune(newestFirst: readonly StoredSnapshot[], now: number): string[] {
  const kept = new Set<string>()
  const pruned: string[] = []
  for (const { id, at, reason } of newestFirst) {
    const age = now - at
    if (age <= dayMs || reason === 'manual' || reason === 'delete') continue
    const spanMs = age <= 7 * dayMs ? hourMs : age <= 90 * dayMs ? dayMs : 7 * dayMs
    const span = `${spanMs}:${Math.floor(at / spanMs)}`
    if (kept.has(span)) pruned.push(id)
    kept.add(span)
  }
  return pruned
}

export function createLocalHistory(deps: { clock: Clock; repository: HistoryRepository }): LocalHistory {
  const { clock, repository } = deps
  const adds = new Map<string, number>()

  const prune = (file: string): void => {
    const count = adds.get(file) ?? 0
    adds.set(file, count + 1)
    if (count % addsBetweenPrunings !== 0) return
    repository.remove(snapshotsToPrune(repository.list(file), clock.now()))
  }

  return {
    add(file, reason, text) {
      const snapshot = repository.add({ file, at: clock.now(), reason, text })
      prune(file)
      return snapshot
    },
    list: (file, path) => repository.list(file).map((snapshot) => entryOf(snapshot, path)),
    read(file, entryId) {
      const found = repository.read(entryId)
      if (found?.snapshot.file !== file) throw new AppError({ code: 'file/not-found', path: file })
      return found.text
    },
    moved: (from, to) => repository.move(from, to),
    movedUntil: (from, to, at) => repository.moveUntil(from, to, at),
  }
}

export function entryOf(snapshot: StoredSnapshot, path: string): HistoryEntry {
  const { id, at, reason, sizeChars } = snapshot
  return { id, path, at, reason, sizeChars }
}
