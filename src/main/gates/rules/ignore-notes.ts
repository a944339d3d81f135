import { pathGlob } from '../../../shared/text/paths/glob.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import { type Disk, errorCode } from '../../platform/files/disk.ts'

const ignoreFiles = ['.gitignore', '.ignore', '.rgignore']
const limitBytes = 1_000_000

/**
 * Rules that ripgrep reads from the ignore files of a folder and of its parent folders.
 *
 * Shape: `isReincluded` is true for a path of which some name is included again by `!`, hidden or not; `leavesOut`
 * for the name of a folder that is left out wherever it stands.
 */
export type IgnoreNotes = {
  isReincluded(path: string): boolean
  leavesOut(name: string): boolean
  isRepository: boolean
}

const noNotes: IgnoreNotes = { isReincluded: () => false, leavesOut: () => false, isRepository: false }

export async function ignoreNotesAbove(disk: Disk, folder: string): Promise<IgnoreNotes> {
  const names = folder.split('/').filter((name) => name !== '' && name !== '.')
  const above = names.map((_, at) => `/${names.slice(0, at).join('/')}`)
  let notes = noNotes
  for (const each of above) notes = await ignoreNotesIn(disk, each, ['.git', ...ignoreFiles], notes)
  return notes
}

/** Returns the notes of a folder with these names in it, and of those above it. */
export async function ignoreNotesIn(
  disk: Disk,
  folder: string,
  names: readonly string[],
  above: IgnoreNotes,
): Promise<IgnoreNotes> {
  const files = ignoreFiles.filter((name) => names.includes(name))
  const hasGit = names.includes('.git')
  if (files.length === 0 && !hasGit) return above
  const isRepository =
    above.isRepository ||
    (hasGit && (await disk.lstat(`${folder}/.git`).catch(() => undefined)) !== undefined)
  const found = hasGit ? await linesOf(disk, `${folder}/.git/info/exclude`) : []
  const left = new Set<string>()
  for (const file of files) {
    const lines = await linesOf(disk, `${folder}/${file}`)
    found.push(...lines)
    // What git leaves out is left out in a repository only.
    if (file !== '.gitignore' || isRepository) {
      for (const line of lines) left.add(line.replace(/^\*\*\//, '').replace(/\/$/, ''))
    }
  }
  // Only the last name of a pattern is compared: this asks about more than is read.
  const tests = found
    .filter((line) => line.startsWith('!'))
    .map((line) => pathGlob(withoutEnd(line.slice(1).trim(), '/').split('/').at(-1) || '*', 'wide'))
  return {
    isReincluded: (path) => tests.some((test) => test(path)) || above.isReincluded(path),
    leavesOut: (name) => left.has(name) || above.leavesOut(name),
    isRepository,
  }
}

/** Returns the rules of an ignore file; `!*` for one that exists and only we cannot read: it may include everything. */
async function linesOf(disk: Disk, path: string): Promise<string[]> {
  try {
    const text = (await disk.readPlain(path, limitBytes)).toString('utf8')
    return text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
  } catch (error) {
    return ['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '') ? [] : ['!*']
  }
}
