import type { MergedFile, SpeculationConflict } from '../../../shared/domain/session/speculation.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import { mapTogether } from '../../workspace/map-together.ts'
import type { FileNow, WritableFolder } from '../../workspace/writable-folder.ts'
import type { Overlay, OverlayFile, StaleFiles } from '../overlay/overlay.ts'

/**
 * One file as it would be changed now. Null: no such file.
 *
 * Shape: `oldBytes` is what lies on the disk; `mode` where the file gets other permissions; `ignoredTop` as in
 * `OverlayFile`.
 */
export type WantedFile = {
  path: string
  oldBytes: Uint8Array | null
  newBytes: Uint8Array | null
  mode: number | null
  ignoredTop?: string
}

/**
 * The plan of an acceptance, as things are now.
 *
 * Shape: `stale`: files that the speculation read, or may have read, and that somebody changed since. `conflicts` wait
 * for a decision, and nothing is done before. `merged`: files that the user gave a text of their own; `kept`: files
 * that stay as they are.
 */
export type AcceptancePlan = {
  /** All files that the speculation changed, from the overlay. */
  files: readonly OverlayFile[]
  stale: StaleFiles
  conflicts: SpeculationConflict[]
  wanted: WantedFile[]
  merged: string[]
  kept: string[]
}

/** The effect of an acceptance on one file. */
type Part = { wanted?: WantedFile; conflict?: SpeculationConflict; merged?: string; kept?: string }

type FileComparison = { file: OverlayFile; now: FileNow; hash: string | null; bytes: Uint8Array | null }

/**
 * Compares the changes of a speculation with the disk as it is now.
 *
 * Errors: `file/disk-full`; `file/changed` where a file changes just now; those of `Overlay.files`.
 */
export async function planAcceptance(
  folder: WritableFolder,
  texts: FileTexts,
  overlay: Pick<Overlay, 'files' | 'reads' | 'staleForCommands'>,
  decided: readonly MergedFile[],
): Promise<AcceptancePlan> {
  const files = await overlay.files()
  const [staleReads, staleForCommands] = await Promise.all([
    changedReads(folder, overlay, files),
    overlay.staleForCommands(),
  ])
  const parts = await mapTogether(files, (file) => partOf(folder, texts, file, decided))
  // Builds compare times: output that the speculation built is written before its sources, so that it is not newer.
  const planned = parts
    .flatMap(({ wanted }) => wanted ?? [])
    .sort((one, other) => Number(isIgnored(other)) - Number(isIgnored(one)))
  const kept = parts.flatMap((part) => part.kept ?? [])
  const wanted = withoutLost(planned, files, kept)
  const lost = planned.filter((file) => !wanted.includes(file)).map(({ path }) => path)
  return {
    files,
    stale: { ...staleForCommands, paths: [...new Set([...staleReads, ...staleForCommands.paths])] },
    conflicts: parts.flatMap(({ conflict }) => conflict ?? []),
    wanted,
    merged: parts.flatMap(({ merged }) => merged ?? []),
    kept: [...kept, ...lost],
  }
}

/** Returns the change that `WritableFolder` applies. */
export function changeOf({ path, oldBytes, newBytes, mode }: WantedFile): FileChange {
  const baseHash = hashOf(oldBytes)
  if (newBytes === null) return { kind: 'delete', path, baseHash: baseHash ?? '' }
  return { kind: 'write', path, baseHash, bytes: newBytes, ...(mode === null ? {} : { mode }) }
}

/** Drops the deletion of a moved file whose new place is among those `left`: its content would be lost. */
export function withoutLost(
  wanted: readonly WantedFile[],
  files: readonly OverlayFile[],
  left: readonly string[],
): WantedFile[] {
  const made = files.filter(({ path, baseHash }) => baseHash === null && left.includes(path))
  const lost = new Set(made.map(({ newBytes }) => hashOf(newBytes)))
  return wanted.filter(({ oldBytes, newBytes }) => newBytes !== null || !lost.has(hashOf(oldBytes)))
}

async function changedReads(
  folder: WritableFolder,
  overlay: Pick<Overlay, 'reads'>,
  files: readonly OverlayFile[],
): Promise<string[]> {
  const written = new Set(files.map(({ path }) => path))
  const reads = [...overlay.reads()].filter(([path]) => !written.has(path))
  const changed = await mapTogether(reads, async ([path, hash]) => {
    const now = await folder.look(path)
    return now.kind === 'file' && now.hash === hash ? [] : [path]
  })
  return changed.flat()
}

/** Plans one file. Returns nothing where it has the wanted content already. */
async function partOf(
  folder: WritableFolder,
  texts: FileTexts,
  file: OverlayFile,
  decided: readonly MergedFile[],
): Promise<Part> {
  const { path, baseHash, newBytes, mode, ignoredTop } = file
  const now = await folder.look(path)
  const [hash, bytes] = now.kind === 'file' ? [now.hash, now.bytes] : [null, null]
  const compared = { file, now, hash, bytes }
  const decision = decided.find((one) => one.path === path && one.currentHash === hash)
  if (ignoredTop !== null) return ignoredPart(folder, texts, { ...compared, ignoredTop, decision })
  const isThere = now.kind === 'file' || now.kind === 'none'
  const isModeAlone = bytes !== null && mode !== null && baseHash !== null
  if (isThere && hash === hashOf(newBytes) && !isModeAlone) return {}
  if (decision?.take === 'keep') return { kept: path }
  const isClean = isThere && hash === baseHash
  const wanted = isClean ? { newBytes } : isThere && decision ? resultOf(texts, compared, decision) : null
  if (wanted === null) return { conflict: conflictOf(texts, file, now) }
  const merged = !isClean && decision?.take === 'text' ? { merged: path } : {}
  if (hashOf(wanted.newBytes) === hash && !isModeAlone) return merged
  const change = {
    path,
    oldBytes: bytes,
    newBytes: wanted.newBytes,
    mode: bytes === null || isModeAlone ? mode : null,
  }
  const why = blockOf(path, await folder.problemOf(changeOf(change), bytes))
  if (why === null) return { ...merged, wanted: change }
  return { ...merged, conflict: { ...conflictOf(texts, file, now), why } }
}

/**
 * Plans an ignored file that a command wrote: it replaces what is there, as outside of a speculation. One that cannot
 * is a conflict, which is left as it is.
 */
async function ignoredPart(
  folder: WritableFolder,
  texts: FileTexts,
  compared: FileComparison & { ignoredTop: string; decision: MergedFile | undefined },
): Promise<Part> {
  const { file, now, hash, bytes, ignoredTop, decision } = compared
  const { path, newBytes, mode } = file
  const isThere = now.kind === 'file' || now.kind === 'none'
  if (isThere && hash === hashOf(newBytes) && mode === null) return {}
  const wanted = { path, oldBytes: bytes, newBytes, mode, ignoredTop }
  const why = isThere ? blockOf(path, await folder.problemOf(changeOf(wanted), bytes)) : undefined
  if (why === null) return { wanted }
  if (decision?.take === 'keep') return { kept: path }
  return { conflict: { ...conflictOf(texts, file, now), ...(why && { why }) } }
}

function isIgnored({ ignoredTop }: WantedFile): boolean {
  return ignoredTop !== undefined
}

/** Returns the decided content; null where no version's encoding has its characters: then the user is asked again. */
function resultOf(
  texts: FileTexts,
  { file, bytes }: FileComparison,
  { take, text }: MergedFile,
): { newBytes: Uint8Array | null } | null {
  if (take === 'speculated' || text === null) return { newBytes: take === 'text' ? null : file.newBytes }
  for (const like of [bytes, file.newBytes, file.baseBytes]) {
    if (like === null) continue
    try {
      return { newBytes: texts.respell(like, text, file.path) }
    } catch (error) {
      if (!isAppError(error, 'file/unencodable') && !isAppError(error, 'file/not-text')) throw error
    }
  }
  return null
}

/** Returns why a file cannot be changed now; null where it can. */
function blockOf(path: string, problem: ErrorInfo | null): SpeculationConflict['why'] | null {
  switch (problem?.code) {
    case undefined:
      return null
    case 'file/disk-full':
      throw new AppError(problem)
    case 'file/changed':
      throw new AppError({ code: 'file/changed', path })
    case 'file/outside':
      return 'elsewhere'
    case 'file/exists':
      return 'folder'
    default:
      return 'closed'
  }
}

function hashOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : contentHash(bytes)
}

export type FileTexts = {
  /** Returns the text with LF line ends; null for what is no text, or too long to be shown. */
  read(bytes: Uint8Array, path: string): string | null
  /** Returns the bytes of a text in the encoding and with the line ends of `like`. Errors: `file/unencodable`. */
  respell(like: Uint8Array | null, text: string, path: string): Uint8Array
}

/** Returns the conflict of a file that is not what a change was made on: what it was, is, and would become. */
function conflictOf(
  texts: Pick<FileTexts, 'read'>,
  { path, baseHash, baseBytes, newBytes }: Omit<OverlayFile, 'mode'>,
  now: FileNow,
): SpeculationConflict {
  const sides = [baseBytes, now.kind === 'file' ? now.bytes : null, newBytes]
  const shown = sides.map((bytes) => (bytes === null ? null : texts.read(bytes, path)))
  const isText = sides.every((bytes, at) => bytes === null || shown[at] !== null)
  const [baseText = null, currentText = null, newText = null] = isText ? shown : []
  const currentHash = now.kind === 'file' ? now.hash : null
  return { path, why: whyNot(baseHash, now), isText, currentHash, baseText, currentText, newText }
}

function whyNot(baseHash: string | null, now: FileNow): SpeculationConflict['why'] {
  if (now.kind === 'other') return 'folder'
  if (now.kind === 'elsewhere') return 'elsewhere'
  if (baseHash === null) return 'appeared'
  return now.kind === 'none' ? 'removed' : 'changed'
}
