import { AppError } from '../../../shared/errors.ts'
import { checkNewName } from '../../platform/files/real-path.ts'
import type { See, SeenFile } from '../answer-files.ts'
import { type ToolContext, ToolRefusal } from '../defining/tool.ts'
import type { FileContent, FoundPath } from '../tool-operations.ts'
import { textLines } from './numbered-lines.ts'
import { limitEditBytes, textOf } from './respell-text.ts'

/** A file that exists. */
export type PresentFile = SeenFile & { bytes: Uint8Array; hash: string }

/** Errors: `file/not-found`, `file/failed`; `ToolRefusal` for a folder. */
export async function presentFile(see: See, path: string): Promise<PresentFile> {
  const file = await see(path)
  if (file.kind === 'folder') throw new ToolRefusal('file.is-folder', { path: file.path })
  if (file.kind === 'other') throw new AppError({ code: 'file/failed', path: file.path, reason: 'no file' })
  const { bytes, hash } = file
  if (bytes === null || hash === null) throw new AppError({ code: 'file/not-found', path: file.path })
  return { ...file, bytes, hash }
}

/** Errors: `ToolRefusal` where the model has not read this very content; it reveals nothing of the file. */
export function needRead(context: ToolContext, file: PresentFile, tool: 'edit' | 'write'): void {
  if (file.isPending || context.ledger.knows(file.path, file.hash)) return
  const key = context.ledger.has(file.path) ? 'changed-since' : 'not-read'
  throw new ToolRefusal(`${tool}.${key}`, { path: file.path })
}

/** True where the model has read the file with another content. */
export function isReadBefore(context: ToolContext, { path, hash, isPending }: PresentFile): boolean {
  return !isPending && context.ledger.has(path) && !context.ledger.knows(path, hash)
}

/** Maximum number of unread ranges that a refusal names. */
const limitStretches = 8

/** Errors: `ToolRefusal` where some lines of the file were never shown to the model: they would be lost unseen. */
export function needWholeRead(context: ToolContext, { path, hash, bytes, isPending }: PresentFile): void {
  if (isPending) return
  const total = textLines(textOf(bytes, path)).length
  const missing = context.ledger.unread(path, hash, total)
  if (missing.length === 0) return
  const lines = missing
    .slice(0, limitStretches)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`))
  if (missing.length > limitStretches) lines.push('…')
  throw new ToolRefusal('write.read-in-part', { path, total, lines: lines.join(', ') })
}

/** Errors: `file/too-large`. */
export function needEditable(bytes: Uint8Array, path: string): void {
  if (bytes.length <= limitEditBytes) return
  const size = { sizeBytes: bytes.length, limitBytes: limitEditBytes }
  throw new AppError({ code: 'file/too-large', path, ...size })
}

/** Maximum number of names in a path that do not exist yet. */
const limitNewFolders = 32

/** Errors: `file/bad-name` for a name that cannot be made; `ToolRefusal` where a folder is named. */
export function needNewName(file: SeenFile, asWritten: string): void {
  if (/[/\\]$/.test(asWritten)) throw new ToolRefusal('file.no-name', { path: file.path })
  if (file.missing.length > limitNewFolders) throw new AppError({ code: 'file/bad-name', name: file.path })
  for (const name of file.missing) checkNewName(name)
}

/**
 * Locates a path again, after consent to its real path was given.
 *
 * Errors: `ToolRefusal` where the path leads elsewhere by now.
 */
export async function samePlace(context: Pick<ToolContext, 'operations'>, path: string): Promise<FoundPath> {
  const found = await context.operations.locate(path)
  refuseOther(path, found.path)
  return found
}

/**
 * Reads a file after consent to its real path was given. `textOf` and `textLines` make text and lines of its bytes.
 *
 * Shape: `bytes` at most `limitBytes`.
 * Errors: those of `samePlace`; `file/not-found`, `file/too-large`; `ToolRefusal` for a folder, by default without a
 * word about what to do instead.
 */
export async function readPlace(
  context: Pick<ToolContext, 'operations'>,
  wanted: string,
  limitBytes: number,
  refusal: 'file.is-folder' | 'read.is-folder' = 'file.is-folder',
): Promise<FileContent> {
  const found = await samePlace(context, wanted)
  if (found.kind === 'folder') throw new ToolRefusal(refusal, { path: found.path })
  const file = await context.operations.read(wanted, limitBytes)
  // The place may lead elsewhere since it was located.
  refuseOther(wanted, file.path)
  return file
}

/** Errors: `ToolRefusal` where `reached` is not the path that was consented to. */
function refuseOther(path: string, reached: string): void {
  if (reached !== path) throw new ToolRefusal('place.other', { path })
}
