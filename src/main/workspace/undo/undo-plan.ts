import { extname } from 'node:path'
import type { UndoFile } from '../../../shared/domain/session/undo.ts'
import { AppError, type ErrorInfo, isAppError, onAppError } from '../../../shared/errors.ts'
import type { Side } from '../../../shared/text/difference/three-way.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { FileChange } from '../change-plan.ts'
import type { FileHistory } from './file-history.ts'
import { undoneBytes, undoneText } from './undo-text.ts'

/** A file as it is now. Shape: `mode` are its permission bits. */
export type PresentFile = { bytes: Uint8Array; hash: string; mode: number }

export type UndoFolder = {
  /** Unsaved text of an open document included; null where there is nothing. Errors: why it cannot be read. */
  present(path: string): Promise<PresentFile | null>
  /** Bytes that a change replaced. Errors: `undo/version-gone` where they are not kept any more. */
  bytes(hash: string): Promise<Uint8Array>
  /** Paths of the files with exactly these bytes. */
  withContent(bytes: Uint8Array): Promise<string[]>
}

/** The user's decision about a file's places; it counts for the content that was shown. */
export type UndoDecision = { hash: string; sides: ReadonlyMap<number, Side> }

/** Shape: `rounds` are change sets, to be applied one after the other. */
export type UndoPlan = { files: UndoFile[]; rounds: FileChange[][] }

/** Shape: `content` null = the file goes; `wanted` is where it was before the assistant moved it. */
type Work = Omit<UndoFile, 'hash' | 'mode' | 'entry'> & {
  history: FileHistory
  now: PresentFile | null
  content: Uint8Array | null
  wanted: string
}

/** Permission bits of a file that is created without a mode. */
const newFileMode = 0o644

/**
 * Works out how the assistant's changes are taken back, and touches nothing. What the user wrote stays: in its place
 * where only the user wrote there, else as the user decides, and as it is now where nothing was decided. A file whose
 * former place has another file by now keeps its present one, or gets a new name.
 *
 * Shape: `left` are paths, present or former, of files that are to stay as they are.
 */
export async function planUndo(
  folder: UndoFolder,
  histories: readonly FileHistory[],
  decisions: ReadonlyMap<string, UndoDecision>,
  left: ReadonlyMap<string, ErrorInfo> = new Map(),
): Promise<UndoPlan> {
  const works: Work[] = []
  for (const history of histories) {
    const work = await workOn(folder, history, decisions)
    if (work === null) continue
    const problem = left.get(work.path) ?? (work.wanted === work.path ? undefined : left.get(work.wanted))
    works.push(problem === undefined ? work : { ...work, problem })
  }
  await findPlaces(folder, works)
  const files = works.map(({ history, now, content: _, wanted: __, ...work }) => {
    const { path, problem, isRemoved } = work
    const to = problem === null && !isRemoved ? work.to : path
    const mode = to === null || problem !== null ? null : formerMode({ now, history })
    return { ...work, to, hash: now?.hash ?? lastHash(history), mode }
  })
  const done = works.filter(({ problem, isRemoved }) => problem === null && !isRemoved)
  return { files, rounds: roundsOf(done) }
}

/**
 * A file of the plan as it is now, and as undo would make it where the user decides each of its places for what stood
 * there before. Undefined: undo would do nothing to it.
 *
 * Shape: null for no such file. Errors: why it cannot be read.
 */
export async function undoneFile(folder: UndoFolder, histories: readonly FileHistory[], path: string) {
  const history = histories.find((one) => (one.path ?? formerPath(one)) === path)
  if (history === undefined) return undefined
  const open = await workOn(folder, history, new Map())
  if (open === null || open.isRemoved) return undefined
  const sides = new Map(open.places.map(({ index }): [number, Side] => [index, 'speculated']))
  const hash = open.now?.hash ?? lastHash(history) ?? ''
  const work = await workOn(folder, history, new Map([[path, { hash, sides }]]))
  if (work?.problem) throw new AppError(work.problem)
  return { current: open.now?.bytes ?? null, wanted: work === null ? null : work.content }
}

async function workOn(
  folder: UndoFolder,
  history: FileHistory,
  decisions: ReadonlyMap<string, UndoDecision>,
): Promise<Work | null> {
  const { first } = history
  const wanted = formerPath(history)
  const path = history.path ?? wanted
  const work: Work = {
    history,
    path,
    now: null,
    content: null,
    wanted,
    to: null,
    isOccupied: false,
    keepsEdits: false,
    places: [],
    isWhole: false,
    isRemoved: false,
    problem: null,
  }
  try {
    work.now = history.path === null || history.isGone ? null : await folder.present(history.path)
    const isOfUser = history.versions.some(({ author }) => author === 'user')
    if (history.path === null && first === null && !isOfUser) return null
    if (history.path !== null && work.now === null) {
      // Left alone, and named where it had text of the user.
      return first === null && !isOfUser ? null : { ...work, isRemoved: true }
    }
    await undoContent(folder, work, decisions.get(path))
  } catch (error) {
    if (!isAppError(error)) throw error
    // The path of an internal file would mean nothing to the user.
    work.problem = 'path' in error.info ? { ...error.info, path } : error.info
  }
  const isAsItWas =
    work.content !== null && work.now !== null && wanted === path && isSame(work) && formerMode(work) === null
  return isAsItWas && work.places.length === 0 && work.problem === null ? null : work
}

async function undoContent(folder: UndoFolder, work: Work, decision: UndoDecision | undefined) {
  const { history, now } = work
  const { first } = history
  const last = lastHash(history)
  const versions = [...history.versions]
  if (now !== null && now.hash !== last) versions.push({ hash: now.hash, author: 'user' })
  work.keepsEdits = versions.some(({ author }) => author === 'user')
  const start = first === null ? new Uint8Array() : await folder.bytes(first.hash)
  if (!work.keepsEdits) {
    work.content = first === null ? null : start
    return
  }
  const known = await Promise.all(
    versions.map(async ({ hash, author }) => ({
      bytes: hash === now?.hash ? now.bytes : await folder.bytes(hash),
      author,
    })),
  )
  const sides = decision !== undefined && decision.hash === (now?.hash ?? last) ? decision.sides : new Map()
  const undone = undoneText(start, known, sides)
  if (undone !== undefined) {
    work.places = undone.places
    work.content = first === null && undone.text.trim() === '' ? null : undoneBytes(undone, work.path)
    return
  }
  // No text: the whole content is one place.
  work.isWhole = true
  work.places = [{ index: 0, line: 1, former: '', written: '', current: '' }]
  const isReverted = sides.get(0) === 'speculated'
  const current = known.at(-1)?.bytes ?? start
  work.content = !isReverted ? current : first === null ? null : start
}

/** Returns the path that the file would have if the assistant had not moved it; a move of the user stays. */
function formerPath({ first, places }: FileHistory): string {
  let at = places.length - 1
  if (first === null) return places[at]?.path ?? ''
  while (at > 0 && places[at]?.author === 'assistant') at -= 1
  return places[at]?.path ?? first.path
}

/** Decides where each file goes; those that cannot go to their former place wait for no other. */
async function findPlaces(folder: UndoFolder, works: Work[]): Promise<void> {
  for (const work of works) work.to = work.content === null ? null : work.wanted
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    for (const work of works) {
      if (work.problem !== null || work.to === null) continue
      if (work.now !== null && work.to === work.path) continue
      if (!(await isOccupiedFor(folder, work, works))) continue
      work.isOccupied = true
      work.to = work.now === null ? await freeName(folder, work.wanted, works) : work.path
      isSettled = false
    }
  }
}

async function isOccupiedFor(folder: UndoFolder, work: Work, works: readonly Work[]): Promise<boolean> {
  const others = works.filter((other) => other !== work)
  const rival = others.find(({ to, problem }) => problem === null && to === work.to)
  // Of two deleted files of one path the later one gets it.
  if (rival !== undefined && (rival.now !== null || works.indexOf(rival) > works.indexOf(work))) return true
  const holder = others.find((other) => other.now !== null && other.path === work.to)
  if (holder !== undefined) return holder.problem !== null || holder.to === work.to
  return work.to !== null && (await isThere(folder, work.to))
}

async function freeName(folder: UndoFolder, path: string, works: readonly Work[]): Promise<string> {
  const ending = extname(path)
  const stem = path.slice(0, path.length - ending.length)
  for (let copy = 2; ; copy += 1) {
    const name = `${stem} (${copy})${ending}`
    if (works.every(({ to }) => to !== name) && !(await isThere(folder, name))) return name
  }
}

/** True where something is at the path, also where it cannot be read. */
export async function isThere(folder: UndoFolder, path: string): Promise<boolean> {
  return (await folder.present(path).catch(onAppError(undefined))) !== null
}

/**
 * Returns the rounds in order: removed files, contents, moves, restored files. Moves have their own change set, so that
 * a later undo and open documents recognise them as moves.
 */
function roundsOf(works: readonly Work[]): FileChange[][] {
  const removed: FileChange[] = []
  const contents: FileChange[] = []
  const restored: FileChange[] = []
  for (const work of works) {
    const { now, to, path, content } = work
    if (to === null || content === null) {
      if (now !== null) removed.push({ kind: 'delete', path, baseHash: now.hash })
      continue
    }
    const mode = modeOf(work)
    if (now === null) {
      restored.push({ kind: 'write', path: to, baseHash: null, bytes: content, mode })
      continue
    }
    if (isSame(work) && mode === now.mode) continue
    const kept = mode === now.mode ? {} : { mode }
    contents.push({ kind: 'write', path, baseHash: now.hash, bytes: content, ...kept })
  }
  return [removed, contents, movesOf(works), restored].filter((changes) => changes.length > 0)
}

/** Returns the moves of an undo, made after the contents are written. Files that swap places are overwritten. */
function movesOf(works: readonly Work[]): FileChange[] {
  const moved = works.flatMap((work) => {
    const { now, to, path, content } = work
    if (now === null || to === null || content === null || to === path) return []
    return { path, to, bytes: content, hash: contentHash(content), mode: modeOf(work) }
  })
  const here = new Map(moved.map(({ path, hash }) => [path, hash]))
  const filled = new Set(moved.map(({ to }) => to))
  return moved.flatMap(({ path, to, bytes, hash, mode }): FileChange[] => {
    if (!here.has(to) && !filled.has(path)) return [{ kind: 'move', path, baseHash: hash, to }]
    const write: FileChange = { kind: 'write', path: to, baseHash: here.get(to) ?? null, bytes, mode }
    return filled.has(path) ? [write] : [write, { kind: 'delete', path, baseHash: hash }]
  })
}

/** Returns a file's permission bits from before the assistant's change; null where the user changed them later. */
function formerMode({ now, history: { modes } }: Pick<Work, 'now' | 'history'>): number | null {
  return modes !== null && now?.mode === modes.after ? modes.before : null
}

/**
 * Returns the permission bits from before the assistant changed them, else those that the file has, or had before the
 * assistant deleted it; never more than the user left it.
 */
function modeOf({ now, history }: Work): number {
  if (now === null) return history.modes?.before ?? history.mode ?? newFileMode
  const former = formerMode({ now, history })
  if (former !== null) return former
  if (history.mode === null || history.mode === now.mode) return now.mode
  return now.mode === newFileMode ? history.mode : history.mode & now.mode
}

export function lastHash({ first, versions }: FileHistory): string | null {
  return versions.at(-1)?.hash ?? first?.hash ?? null
}

function isSame({ now, content }: Work): boolean {
  return now !== null && content !== null && Buffer.from(content).equals(now.bytes)
}
