import { onAppError } from '../../../shared/errors.ts'
import type { FileHistory } from './file-history.ts'
import { isThere, lastHash, type UndoFolder } from './undo-plan.ts'

/**
 * Follows files that the user moved with another program, which no record tells: a file that is not where the assistant
 * left it is the later one that began with the same content, else the only file of the folder that has this content.
 * One that was also changed since is not found.
 */
export async function followMoves(folder: UndoFolder, histories: readonly FileHistory[]) {
  const files = [...histories]
  for (let index = 0; index < files.length; ) {
    const file = files[index]
    const moved = file && (await isMissing(folder, file)) ? await movedFile(folder, file, files) : undefined
    if (moved === undefined) index += 1
    else {
      files[index] = moved.file
      if (moved.until !== undefined) files.splice(files.indexOf(moved.until), 1)
      else index += 1
    }
  }
  return files
}

async function isMissing(folder: UndoFolder, { path, isGone }: FileHistory): Promise<boolean> {
  return path !== null && (isGone || !(await isThere(folder, path)))
}

/** Shape: `until` is the history that goes on with the file, and that `file` has in it. */
async function movedFile(
  folder: UndoFolder,
  file: FileHistory,
  files: readonly FileHistory[],
): Promise<{ file: FileHistory; until?: FileHistory } | undefined> {
  const hash = lastHash(file)
  const bytes = hash === null ? undefined : await folder.bytes(hash).catch(onAppError(undefined))
  // Files without text are all alike.
  if (bytes === undefined || bytes.every((byte) => byte <= 0x20)) return undefined
  const until = files
    .slice(files.indexOf(file) + 1)
    .find(({ first }) => first?.hash === hash && first.path !== file.path)
  if (until !== undefined) return { file: joined(file, until), until }
  const found = await folder.withContent(bytes)
  const isKnown = (path: string) => files.some((other) => other.path === path && !other.isGone)
  const [path, ...others] = found.filter((one) => !isKnown(one))
  if (path === undefined || others.length > 0) return undefined
  return { file: { ...file, path, isGone: false, places: [...file.places, { path, author: 'user' }] } }
}

function joined(file: FileHistory, until: FileHistory): FileHistory {
  const isOn = file.modes !== null && file.modes.after === until.modes?.before
  const modes = isOn ? { before: file.modes?.before ?? 0, after: until.modes?.after ?? 0 } : until.modes
  return {
    ...until,
    first: file.first,
    versions: [...file.versions, ...until.versions],
    places: [...file.places, ...until.places],
    modes,
  }
}
