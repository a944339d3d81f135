import type { UndoFile } from '../../../shared/domain/session/undo.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import type { ChangeSetEntry, ChangeSetRecord, EntryState } from '../../store/works/change-set-repository.ts'
import { type EntryNow, isSameEntry } from '../entries/place-entry.ts'

/** The effects of an undo on folders and links. Shape: `files` as a window shows them; `changes` put them back. */
export type EntryUndoPlan = { files: UndoFile[]; changes: ChangeSetEntry[] }

type Traced = { path: string; first: EntryState | null; last: EntryState | null }

/**
 * Works out how folders and links that the assistant's records changed are put back, and touches nothing. What the user
 * has changed since stays as it is.
 *
 * Shape: a folder that was made is removed where nothing lies in it by then.
 */
export async function planEntryUndo(
  records: readonly ChangeSetRecord[],
  isAssistant: (record: ChangeSetRecord) => boolean,
  now: (path: string) => Promise<EntryNow>,
  left: ReadonlyMap<string, ErrorInfo>,
): Promise<EntryUndoPlan> {
  const plan: EntryUndoPlan = { files: [], changes: [] }
  for (const { path, first, last } of tracedEntries(records, isAssistant)) {
    const kind = (last ?? first)?.kind ?? 'folder'
    const file = { ...untouched, path, to: first === null ? null : path, entry: kind }
    const add = (problem: ErrorInfo): void => void plan.files.push({ ...file, to: path, problem })
    const known = left.get(path)
    if (known !== undefined) {
      add(known)
      continue
    }
    try {
      const present = await now(path)
      if (isSameEntry(present, first)) continue
      if (isSameEntry(present, last)) {
        plan.changes.push({ path, before: last, after: first })
        plan.files.push(file)
      } else if (present === null) plan.files.push({ ...file, to: path, isRemoved: true })
      else throw new AppError({ code: 'file/changed', path })
    } catch (error) {
      if (!isAppError(error)) throw error
      add(error.info)
    }
  }
  return plan
}

const untouched = {
  isOccupied: false,
  keepsEdits: false,
  hash: null,
  places: [],
  isWhole: false,
  isRemoved: false,
  mode: null,
  problem: null,
} satisfies Partial<UndoFile>

/** Returns each path once, with its state before the first of the records and after the last one. */
export function tracedEntries(
  records: readonly ChangeSetRecord[],
  isAssistant: (record: ChangeSetRecord) => boolean,
): Traced[] {
  const traced = new Map<string, Traced>()
  for (const record of records) {
    if (record.state === 'undone' || !isAssistant(record)) continue
    for (const { path, before, after } of record.entries) {
      const known = traced.get(path)
      if (known === undefined) traced.set(path, { path, first: before, last: after })
      else known.last = after
    }
  }
  return [...traced.values()].filter(({ first, last }) => !isSameEntry(first, last))
}
