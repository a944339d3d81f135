import type { TurnFile, UndoFile } from '../../../shared/domain/session/undo.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import type { ChangeSetEntry, ChangeSetRecord } from '../../store/works/change-set-repository.ts'
import { pathIn } from '../../tools/defining/root-path.ts'
import type { ToolOperations } from '../../tools/tool-operations.ts'
import type { FileChange } from '../change-plan.ts'
import { type EntryNow, inOrder } from '../entries/place-entry.ts'
import { type EntryUndoPlan, planEntryUndo, tracedEntries } from './entry-undo.ts'
import { fileHistories } from './file-history.ts'
import { followMoves } from './moved-on-disk.ts'
import {
  type PresentFile,
  planUndo,
  type UndoDecision,
  type UndoFolder,
  type UndoPlan,
  undoneFile,
} from './undo-plan.ts'
import { decoded, turnFiles } from './undo-text.ts'

export type TurnUndoDeps = {
  changeSet(id: string): ChangeSetRecord | undefined
  /** The change set and all later ones of its folder, oldest first. */
  changeSetsFrom(id: string): ChangeSetRecord[]
  /** Bytes that a change replaced. Errors: `file/not-found` where they were forgotten. */
  bytes(hash: string): Promise<Uint8Array>
  /** A file as it is now, unsaved text included; null where there is none. */
  present(root: string, path: string): Promise<PresentFile | null>
  /** Paths of the files of a folder with exactly these bytes. */
  withContent(root: string, bytes: Uint8Array): Promise<string[]>
  /** Returns the entry at a path itself, its last link not followed. Errors: `file/…`. */
  entryAt(root: string, path: string): Promise<EntryNow>
}

/** The user's decisions about files, by the path as the preview has it. */
export type UndoDecisions = ReadonlyMap<string, UndoDecision>

/**
 * The result of an undo.
 *
 * Shape: `files` were changed; `kept` have places that both changed and that stayed as they are, since nothing was
 * decided for their present content; `left` could not be changed. `changeSetIds` is what takes it back.
 */
export type Undone = { files: string[]; kept: string[]; left: string[]; changeSetIds: string[] }

/** Maximum number of plans for a file that changes between planning and writing. */
const limitPlans = 5

/**
 * Takes back what change sets did to files, as `planUndo` does: the user's writing stays.
 *
 * Shape: files of other folders than `root`, the session's own, have their absolute paths.
 */
export class TurnUndo {
  readonly #deps: TurnUndoDeps

  constructor(deps: TurnUndoDeps) {
    this.#deps = deps
  }

  async preview(root: string, changeSetIds: readonly string[]): Promise<UndoFile[]> {
    const files: UndoFile[] = []
    for (const [at, ids] of this.#byFolder(changeSetIds)) {
      const name = (path: string): string => (at === root ? path : pathIn(at, path))
      const plan = await this.#plan(at, ids, new Map(), new Map())
      files.push(
        ...[...plan.files, ...shownEntries(plan)].map((file) => ({
          ...file,
          path: name(file.path),
          to: file.to === null ? null : name(file.to),
        })),
      )
    }
    return files
  }

  async files(root: string, changeSetIds: readonly string[]): Promise<TurnFile[]> {
    const files: TurnFile[] = []
    for (const [at, ids] of this.#byFolder(changeSetIds)) {
      const records = [...ids].flatMap((id) => this.#deps.changeSet(id) ?? [])
      const name = (path: string): string => (at === root ? path : pathIn(at, path))
      for (const { path, from, texts } of await turnFiles(records, this.#deps.bytes))
        files.push({ path: name(path), from: from === null ? null : name(from), texts })
      for (const { path, first, last } of tracedEntries(records, () => true)) {
        if (first?.kind !== 'link' && last?.kind !== 'link') continue
        const old = first?.kind === 'link' ? first.target : null
        const now = last?.kind === 'link' ? last.target : null
        files.push({ path: name(path), from: null, texts: { old, new: now }, entry: 'link' })
      }
    }
    return files
  }

  /**
   * Returns the files that the change sets wrote and somebody has changed since: without the changes, with them, and
   * now.
   *
   * Shape: text files below `root` alone.
   */
  async changedSince(root: string, changeSetIds: readonly string[]) {
    const changed: { before: string; written: string; now: string }[] = []
    const own = this.#byFolder(changeSetIds).get(root) ?? []
    for (const { path, texts, entry } of await this.files(root, [...own])) {
      if (texts === null || texts.new === null || entry !== undefined) continue
      const present = await this.#deps.present(root, path)
      const now = present === null ? undefined : decoded(present.bytes)
      if (now === undefined || now === texts.new) continue
      changed.push({ before: texts.old ?? '', written: texts.new, now })
    }
    return changed
  }

  /**
   * Returns a file that a change set left alone: as it is now, and as the change set would have made it.
   *
   * Shape: null for no such file. Errors: `file/not-found` where the change set is not kept any more;
   * `undo/version-gone` where its bytes are not; `file/not-text`.
   */
  async leftFile(changeSetId: string, path: string) {
    const record = this.#deps.changeSet(changeSetId)
    const file = record?.files.find((one) => one.path === path)
    if (record === undefined || file === undefined) throw new AppError({ code: 'file/not-found', path })
    const wanted = file.newHash === null ? null : await this.#version(file.newHash, path)
    const current = await this.#deps.present(record.root, path)
    return textsOf({ current: current?.bytes ?? null, wanted }, path)
  }

  /**
   * Returns a file that an undo of these change sets left as it was: as it is now, and as the undo would have made it.
   *
   * Shape and errors: as `leftFile`; `file/not-found` also where nothing is left to undo.
   */
  async leftOfUndo(root: string, changeSetIds: readonly string[], path: string) {
    for (const [at, ids] of this.#byFolder(changeSetIds)) {
      const folder = this.#folder(at)
      const histories = await followMoves(
        folder,
        fileHistories(this.#recordsFrom(ids), ({ id }) => ids.has(id)),
      )
      const found = await undoneFile(folder, histories, belowName(at, root, path))
      if (found !== undefined) return textsOf(found, path)
    }
    throw new AppError({ code: 'file/not-found', path })
  }

  /**
   * Takes the change sets back folder by folder, so that a missing folder does not block the others.
   *
   * Shape: `note` identifies this undo. Change sets that already have the note belong to it: a host that ended in the
   * middle of it left them.
   */
  async undo(
    root: string,
    changeSetIds: readonly string[],
    decisions: UndoDecisions,
    operationsIn: (root: string) => Pick<ToolOperations, 'apply'>,
    note: string,
  ): Promise<Undone> {
    const all: Undone = { files: [], kept: [], left: [], changeSetIds: [] }
    for (const [at, ids] of this.#byFolder(changeSetIds)) {
      const name = (path: string): string => (at === root ? path : pathIn(at, path))
      const own = new Map([...decisions].map(([path, decision]) => [belowName(at, root, path), decision]))
      const undone = await this.#undoIn(at, ids, own, operationsIn(at), note)
      all.files.push(...undone.files.map(name))
      all.kept.push(...undone.kept.map(name))
      all.left.push(...undone.left.map(name))
      all.changeSetIds.push(...undone.changeSetIds)
    }
    return all
  }

  async #undoIn(
    root: string,
    ids: ReadonlySet<string>,
    decisions: UndoDecisions,
    operations: Pick<ToolOperations, 'apply'>,
    note: string,
  ): Promise<Undone> {
    const left = new Map<string, ErrorInfo>()
    const applied = this.#appliedBefore(ids, note)
    for (let attempt = 1; ; attempt += 1) {
      const plan = await this.#plan(root, ids, decisions, left)
      const refused = await applyRounds(plan, operations, note, applied)
      if (refused === null) return undoneOf(plan, decisions, applied)
      // A file that was changed just now is planned again; any other error leaves the file as it is.
      if (refused.info.code !== 'file/changed' || attempt >= limitPlans) left.set(refused.path, refused.info)
    }
  }

  #folder(root: string): UndoFolder {
    return {
      present: (path) => this.#deps.present(root, path),
      bytes: (hash) => this.#version(hash, hash),
      withContent: (bytes) => this.#deps.withContent(root, bytes),
    }
  }

  /** Errors: `undo/version-gone`. */
  async #version(hash: string, path: string): Promise<Uint8Array> {
    try {
      return await this.#deps.bytes(hash)
    } catch (error) {
      if (!isAppError(error, 'file/not-found')) throw error
      throw new AppError({ code: 'undo/version-gone', path })
    }
  }

  #appliedBefore(ids: ReadonlySet<string>, note: string): Applied {
    const sets = this.#recordsFrom(ids).filter((record) => record.note === note && record.state !== 'undone')
    return {
      paths: new Set(sets.flatMap(({ files, entries }) => [...files, ...entries].map(({ path }) => path))),
      conflicts: [],
      changeSetIds: sets.map(({ id }) => id),
    }
  }

  #recordsFrom([first]: ReadonlySet<string>): ChangeSetRecord[] {
    return first === undefined ? [] : this.#deps.changeSetsFrom(first)
  }

  async #plan(
    root: string,
    ids: ReadonlySet<string>,
    decisions: UndoDecisions,
    left: ReadonlyMap<string, ErrorInfo>,
  ): Promise<WholePlan> {
    const records = this.#recordsFrom(ids)
    const folder = this.#folder(root)
    const isAssistant = ({ id }: ChangeSetRecord): boolean => ids.has(id)
    const histories = await followMoves(folder, fileHistories(records, isAssistant))
    const files = await planUndo(folder, histories, decisions, left)
    const freed = new Set(
      files.files.flatMap(({ path, to, problem }) => (problem || to === path ? [] : path)),
    )
    const entryAt = async (path: string): Promise<EntryNow> => {
      const present = await this.#deps.entryAt(root, path)
      return present?.kind === 'other' && freed.has(path) ? null : present
    }
    return { ...files, freed, entries: await planEntryUndo(records, isAssistant, entryAt, left) }
  }

  /** Shape: the ids of each folder in their order. */
  #byFolder(changeSetIds: readonly string[]): Map<string, Set<string>> {
    const folders = new Map<string, Set<string>>()
    for (const id of changeSetIds) {
      const root = this.#deps.changeSet(id)?.root
      if (root === undefined) continue
      const ids = folders.get(root) ?? new Set()
      folders.set(root, ids.add(id))
    }
    return folders
  }
}

/** Shape: `freed` are paths at which the undo removes or moves a file. */
type WholePlan = UndoPlan & { freed: ReadonlySet<string>; entries: EntryUndoPlan }

/** Returns the entries to show, without folders whose files have rows of their own. */
function shownEntries({ files, entries }: WholePlan): UndoFile[] {
  const paths = [...files, ...entries.files].map(({ path }) => path)
  return entries.files.filter(
    ({ path, entry, problem }) =>
      entry !== 'folder' || problem !== null || !paths.some((other) => other.startsWith(`${path}/`)),
  )
}

/**
 * Returns all rounds: removed links and new folders before the files, the other entries after them, those first that
 * come where a file was.
 */
function allRounds({ rounds, freed, entries }: WholePlan): Round[] {
  const { first, last } = inOrder(entries.changes.filter(({ path }) => !freed.has(path)))
  const late = inOrder(entries.changes.filter(({ path }) => freed.has(path)))
  const round = (changes: FileChange[], some: ChangeSetEntry[]): Round => ({ changes, entries: some })
  return [
    round([], first),
    ...rounds.map((changes) => round(changes, [])),
    round([], [...late.first, ...late.last, ...last]),
  ].filter(({ changes, entries: some }) => changes.length + some.length > 0)
}

type Round = { changes: FileChange[]; entries: ChangeSetEntry[] }

type Applied = { paths: Set<string>; conflicts: string[]; changeSetIds: string[] }

/** Returns a file that could not be changed, with its error, else null. Errors: those of no file of the plan. */
async function applyRounds(
  plan: WholePlan,
  operations: Pick<ToolOperations, 'apply'>,
  note: string,
  applied: Applied,
): Promise<{ path: string; info: ErrorInfo } | null> {
  for (const { changes, entries } of allRounds(plan)) {
    try {
      const { changeSetId, conflicts } = await operations.apply(changes, note, entries)
      applied.changeSetIds.push(changeSetId)
      applied.conflicts.push(...conflicts)
      for (const change of changes) {
        applied.paths.add(change.path)
        if (change.kind === 'move') applied.paths.add(change.to)
      }
      for (const entry of entries) applied.paths.add(entry.path)
      // The next round was planned for a result that this round did not reach.
      if (conflicts.length > 0) return null
    } catch (error) {
      if (!isAppError(error)) throw error
      const { info } = error
      const path = 'path' in info ? info.path : null
      const of =
        changes.find((change) => change.path === path || (change.kind === 'move' && change.to === path)) ??
        entries.find((entry) => entry.path === path)
      if (of === undefined) throw error
      return { path: of.path, info }
    }
  }
  return null
}

function undoneOf(
  { files, entries }: WholePlan,
  decisions: UndoDecisions,
  { paths, conflicts, changeSetIds }: Applied,
): Undone {
  const isOpen = ({ path, hash, places }: UndoPlan['files'][number]): boolean => {
    const decision = decisions.get(path)
    return places.some(({ index }) => decision?.hash !== hash || !decision?.sides.has(index))
  }
  const done = files.filter(({ problem }) => problem === null)
  const left = [...files, ...entries.files].flatMap(({ path, problem }) => (problem === null ? [] : path))
  return {
    files: [...paths].filter((path) => !conflicts.includes(path)),
    kept: done.filter(isOpen).map(({ path }) => path),
    left: [...new Set([...left, ...conflicts])],
    changeSetIds,
  }
}

/** Errors: `file/not-text`. */
function textsOf(
  { current, wanted }: { current: Uint8Array | null; wanted: Uint8Array | null },
  path: string,
): { current: string | null; wanted: string | null } {
  const text = (bytes: Uint8Array | null): string | null => {
    const found = bytes === null ? null : decoded(bytes)
    if (found === undefined) throw new AppError({ code: 'file/not-text', path })
    return found
  }
  return { current: text(current), wanted: text(wanted) }
}

function belowName(at: string, root: string, path: string): string {
  if (at === root) return path
  const top = pathIn(at, '')
  return path.startsWith(`${top}/`) ? path.slice(top.length + 1) : path
}
