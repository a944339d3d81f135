import type { ChangeSetFile, ChangeSetRecord } from '../../store/works/change-set-repository.ts'
import type { Author } from './line-authors.ts'

/**
 * One file through all changes of the assistant that are to be taken back, also where it was moved.
 *
 * Shape: `first` is where and what the file was before them, null where the assistant created it. `versions` are its
 * contents after that; one of the user is what was found where the assistant's next change began. `places` are its
 * paths, the first one included. `path` is where it should be now, null where the assistant deleted it; then `mode` is
 * what it had. `modes`: its permission bits where the assistant changed those. `isGone`: no record tells where it went,
 * but another file has come to its path.
 */
export type FileHistory = {
  first: { path: string; hash: string } | null
  versions: { hash: string; author: Author }[]
  places: { path: string; author: Author }[]
  path: string | null
  mode: number | null
  modes: { before: number; after: number } | null
  isGone: boolean
}

/** The notes of the change sets of an undo begin with it, and those of a redo. */
export const undoNote = 'undo '
export const redoNote = 'redo '

type Step = ChangeSetFile
type Move = { from: string; to: string; hash: string }

/**
 * Returns the files that the assistant's records changed.
 *
 * Shape: `records` are all of one folder from the first one to take back on, oldest first; `isAssistant` tells those to
 * take back. Of the others, among them earlier undos, only the places count: contents are found where the next change of
 * the assistant begins.
 */
export function fileHistories(
  records: readonly ChangeSetRecord[],
  isAssistant: (record: ChangeSetRecord) => boolean,
): FileHistory[] {
  const traced = new TracedFiles()
  for (const record of records) {
    if (record.state === 'undone') continue
    const { moves, steps } = operationsOf(record)
    if (isAssistant(record)) {
      traced.move(moves)
      for (const step of steps) traced.step(step)
    } else {
      traced.moveOfUser(moves)
      const by = record.note.startsWith(undoNote)
        ? 'undo'
        : record.note.startsWith(redoNote)
          ? 'redo'
          : 'user'
      for (const step of steps) traced.stepOfUser(step, by)
    }
  }
  return traced.all
}

/**
 * A file that goes, and one of the same content that comes in the same record, are one file that was moved; so are
 * files that changed places.
 */
function operationsOf({ files }: ChangeSetRecord): { moves: Move[]; steps: Step[] } {
  const sources = new Map<Step, Step>()
  for (const come of files) {
    if (come.newHash === null || come.newHash === come.oldHash) continue
    const used = new Set(sources.values())
    const source = files.find(
      (file) => file.oldHash === come.newHash && file.newHash !== file.oldHash && !used.has(file),
    )
    if (source !== undefined) sources.set(come, source)
  }
  // What is overwritten must have moved away, and its place is free or filled by another move.
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    const moved = new Set(sources.values())
    for (const [come, source] of sources) {
      const isFilled = source.newHash === null || sources.has(source)
      if (isFilled && (come.oldHash === null || moved.has(come))) continue
      sources.delete(come)
      isSettled = false
    }
  }
  const moves = [...sources].map(([come, source]) => ({
    from: source.path,
    to: come.path,
    hash: come.newHash ?? '',
  }))
  const isMoved = new Set([...sources.keys(), ...sources.values()])
  return { moves, steps: files.filter((file) => !isMoved.has(file)) }
}

class TracedFiles {
  readonly all: FileHistory[] = []
  readonly #at = new Map<string, FileHistory>()
  /** Files that the assistant deleted, by the path that they had. */
  readonly #deleted = new Map<string, FileHistory>()
  readonly #revived = new Set<FileHistory>()
  /** Number of deletions of other files at a path, which were not taken back. */
  readonly #othersDeleted = new Map<string, number>()
  /** The place that a file was moved back from. */
  readonly #left = new Map<FileHistory, FileHistory['places'][number]>()

  /** Moves all files at once, since they may change places with each other. */
  move(moves: readonly Move[]): void {
    const files = moves.map(({ from, to, hash }) => ({ from, to, file: this.#found(from, hash) }))
    for (const { from } of files) this.#at.delete(from)
    for (const { to, file } of files) this.#place(file, to, 'assistant')
  }

  moveOfUser(moves: readonly Move[]): void {
    const files = moves.map(({ from, to }) => ({ from, to, file: this.#at.get(from) }))
    for (const { from } of files) this.#at.delete(from)
    for (const { to, file } of files) {
      if (file === undefined) continue
      const back = this.#left.get(file)
      if (file.places.at(-2)?.path === to) {
        // Back where it was, by an undo: as if it had never been moved.
        const left = file.places.pop()
        if (left !== undefined) this.#left.set(file, left)
        this.#set(file, to)
      } else if (back?.path === to) this.#place(file, to, back.author)
      else this.#place(file, to, 'user')
    }
  }

  /**
   * An undo brings a deleted file back, and a redo takes it away again, or its former lines alone where the user has
   * written in it since. A file that anything else makes is another one.
   */
  stepOfUser({ path, oldHash, newHash }: Step, by: 'undo' | 'redo' | 'user'): void {
    const deleted = this.#deleted.get(path)
    const others = this.#othersDeleted.get(path) ?? 0
    if (oldHash === null && by !== 'undo') return
    if (oldHash === null && others > 0) {
      this.#othersDeleted.set(path, others - 1)
      return
    }
    if (oldHash === null && deleted !== undefined) {
      this.#deleted.delete(path)
      this.#revived.add(deleted)
      this.#set(deleted, path)
      return
    }
    const file = this.#at.get(path)
    if (newHash === null && file === undefined && by !== 'undo') this.#othersDeleted.set(path, others + 1)
    if (file === undefined || !this.#revived.has(file)) return
    if (newHash !== null) {
      if (oldHash === null || by !== 'redo') return
      this.#found(path, oldHash).versions.push({ hash: newHash, author: 'assistant' })
      return
    }
    this.#revived.delete(file)
    this.#at.delete(path)
    this.#deleted.set(path, file)
    file.path = null
  }

  step({ path, oldHash, newHash, mode, oldMode }: Step): void {
    if (oldHash !== null) {
      const file = this.#found(path, oldHash)
      if (newHash !== null) {
        file.versions.push({ hash: newHash, author: 'assistant' })
        if (mode !== null && oldMode !== null) file.modes = modesAfter(file.modes, oldMode, mode)
      } else {
        this.#at.delete(path)
        this.#deleted.set(path, file)
        file.path = null
        file.mode = mode
      }
      return
    }
    if (newHash === null) return
    // The user removed or moved what was there.
    this.#leave(path)
    const again = this.#deleted.get(path)
    const file = again ?? { first: null, versions: [], places: [], path, mode, modes: null, isGone: false }
    if (again === undefined) this.all.push(file)
    this.#deleted.delete(path)
    file.versions.push({ hash: newHash, author: 'assistant' })
    if (again === undefined) this.#place(file, path, 'assistant')
    else this.#set(file, path)
  }

  /** Returns the file that a change began with. A content other than the last known one was written by the user. */
  #found(path: string, hash: string): FileHistory {
    const known = this.#at.get(path)
    if (known !== undefined) {
      const last = known.versions.at(-1)?.hash ?? known.first?.hash
      if (last !== hash) known.versions.push({ hash, author: 'user' })
      return known
    }
    const first = { path, hash }
    const places: FileHistory['places'] = [{ path, author: 'user' }]
    const file: FileHistory = { first, versions: [], places, path, mode: null, modes: null, isGone: false }
    this.all.push(file)
    this.#set(file, path)
    return file
  }

  #place(file: FileHistory, path: string, author: Author): void {
    file.places.push({ path, author })
    this.#set(file, path)
  }

  #leave(path: string): void {
    const file = this.#at.get(path)
    if (file !== undefined) file.isGone = true
    this.#at.delete(path)
  }

  #set(file: FileHistory, path: string): void {
    if (this.#at.get(path) !== file) this.#leave(path)
    file.path = path
    file.isGone = false
    this.#at.set(path, file)
  }
}

/** Returns the permission bits after another change; undo goes back to those that the user set meanwhile. */
function modesAfter(modes: FileHistory['modes'], oldMode: number, mode: number): FileHistory['modes'] {
  return { before: modes?.after === oldMode ? modes.before : oldMode, after: mode }
}
