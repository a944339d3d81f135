import { basename, dirname, extname, join } from 'node:path'
import { AppError, onAppError } from '../../../shared/errors.ts'
import type { Random } from '../../deps.ts'
import { replaceFile, tempFileName } from '../../platform/files/atomic-file.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { failWith, toFileError } from '../../platform/files/file-error.ts'
import { needProject, type Project, parseProject, projectBytes } from './project-file.ts'
import { patchWorkJson, readWorkJson } from './work-json.ts'

/** A whole novel with its notes is a few megabytes. */
const limitProjectBytes = 100_000_000

type Deps = { disk: Disk; hostId: string; random: Random }

/**
 * Returns the folder of a project file. Creates it beside the file at the first opening and finds it again later. The
 * project file itself is never changed.
 *
 * Errors: `work/bad-file` where `file` is no project file; those of reading and writing.
 */
export async function openAsFolder(deps: Deps, file: string): Promise<string> {
  const { disk } = deps
  const bytes = await disk.read(file, limitProjectBytes).catch(failWith(file))
  const project = needProject(bytes, file)
  const importedFrom = { name: basename(file), hash: contentHash(bytes) }
  const stem = basename(file, extname(file))
  for (let copy = 1; ; copy++) {
    const folder = join(dirname(file), copy === 1 ? stem : `${stem} (${copy})`)
    if ((await disk.stat(folder)) === undefined) {
      await fill(deps, folder, `${stem}.txt`, project, importedFrom)
      return folder
    }
    if (await isImportOf(disk, folder, importedFrom.hash)) return folder
  }
}

/**
 * Writes a work as a project file.
 *
 * Errors: `file/exists` where `target` is there and may not be replaced, or is no project file; those of writing.
 */
export async function writeProject(deps: Deps, target: string, project: Project, mayReplace: boolean) {
  const { disk } = deps
  try {
    const stats = await disk.stat(target)
    const isReplaceable = async (): Promise<boolean> =>
      mayReplace && parseProject(await disk.read(target, limitProjectBytes)) !== undefined
    if (stats !== undefined && !(await isReplaceable()))
      throw new AppError({ code: 'file/exists', path: target })
    const folder = await disk.realPath(dirname(target))
    const path = stats === undefined ? join(folder, basename(target)) : await disk.realPath(target)
    await replaceFile(disk, path, projectBytes(project), {
      tempName: tempFileName(deps.hostId, deps.random),
      ...(stats === undefined ? { expectedHash: null } : {}),
    })
  } catch (error) {
    throw toFileError(error, target)
  }
}

async function fill(
  deps: Deps,
  folder: string,
  name: string,
  project: Project,
  importedFrom: { name: string; hash: string },
): Promise<void> {
  try {
    await deps.disk.makeFolder(folder)
    const tempName = tempFileName(deps.hostId, deps.random)
    const real = await deps.disk.realPath(folder)
    await replaceFile(deps.disk, join(real, name), Buffer.from(project.mainText), { tempName })
    // Written last: a folder without `work.json` is an unfinished import and is not used.
    await patchWorkJson(deps, real, { ...project.details, importedFrom })
  } catch (error) {
    throw toFileError(error, folder)
  }
}

async function isImportOf(disk: Disk, folder: string, hash: string): Promise<boolean> {
  if (!(await disk.stat(folder))?.isDirectory()) return false
  const known = await readWorkJson(disk, folder).catch(onAppError(null))
  return known?.values.importedFrom?.hash === hash
}
