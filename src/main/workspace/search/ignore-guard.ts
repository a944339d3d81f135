import { basename, dirname, join, resolve } from 'node:path'
import type { Disk } from '../../platform/files/disk.ts'
import { globalExcludesPath } from '../../platform/files/global-excludes.ts'
import { type RipgrepEnd, type RipgrepRun, runRipgrep } from './run-ripgrep.ts'

/** The ignore files that ripgrep opens by itself in every folder, with the option that keeps it from each. */
const ignoreFiles: [path: string, option: string][] = [
  ['.gitignore', '--no-ignore-vcs'],
  ['.ignore', '--no-ignore-dot'],
  ['.rgignore', '--no-ignore-dot'],
  ['.git/info/exclude', '--no-ignore-exclude'],
]
/** Ignore files above this size count as endless. Units: bytes. */
const limitBytes = 10_000_000
/** Time without a result after which the folder is searched once for an ignore file that the search waits for. */
const silentMs = 1_000
const limitFolders = 500_000

type GuardedDisk = Pick<Disk, 'read' | 'stat' | 'list'>

/**
 * Runs ripgrep in the real folder `folder`, and keeps it from ignore files that are pipes or devices, or have no end:
 * ripgrep would wait for ever or fill the memory.
 *
 * Shape: such a file in `folder` or above counts as absent. A folder below that holds one is left out of the search,
 * which counts as cut; it is looked for only where the search dies or finds nothing for a second. `onRecord` may get
 * a record twice then. Errors: as `runRipgrep`.
 */
export async function runGuardedRipgrep(
  disk: GuardedDisk,
  folder: string,
  run: RipgrepRun,
  onRecord: (record: string) => boolean,
): Promise<RipgrepEnd> {
  const options = await optionsAgainst(disk, folder, run.cwd)
  const guarded = { ...run, args: [...options, ...run.args] }
  const deadline = Date.now() + run.timeoutMs
  const check = new AbortController()
  let endless: string[] = []
  let isSilent = true
  const stopIfEndless = async (): Promise<void> => {
    endless = await foldersToLeaveOut(disk, run.cwd, AbortSignal.any([run.signal, check.signal]))
    if (endless.length > 0) check.abort(new Error('an ignore file without end'))
  }
  const timer = setInterval(() => {
    if (isSilent) {
      clearInterval(timer)
      void stopIfEndless()
    }
    isSilent = true
  }, silentMs)
  const onNext = (record: string): boolean => {
    isSilent = false
    return onRecord(record)
  }
  try {
    const end = await runRipgrep({ ...guarded, signal: AbortSignal.any([run.signal, check.signal]) }, onNext)
    if (!end.hasDied) return end
    endless = await foldersToLeaveOut(disk, run.cwd, run.signal)
    if (endless.length === 0) return end
  } catch (error) {
    if (run.signal.aborted || endless.length === 0) throw error
  } finally {
    clearInterval(timer)
    check.abort()
  }
  const leftOut = endless.flatMap((path) => ['--glob', `!/${path.replace(/[\\*?[\]{}!]/g, '\\$&')}`])
  const timeoutMs = Math.max(1, deadline - Date.now())
  const end = await runRipgrep({ ...guarded, timeoutMs, args: [...leftOut, ...guarded.args] }, onRecord)
  return { ...end, isCut: true }
}

/** Returns the options against endless ignore files of the folder itself, of those above, and of the user. */
async function optionsAgainst(disk: GuardedDisk, folder: string, cwd: string): Promise<string[]> {
  const options = new Set<string>()
  for (let at = folder; ; at = dirname(at)) {
    for (const [path, option] of ignoreFiles) {
      if (await isEndless(disk, join(at, path))) options.add(option)
    }
    if (dirname(at) === at) break
  }
  if (await hasEndlessExcludes(disk, cwd)) options.add('--no-ignore-global')
  return [...options]
}

/** True where Git's global ignore rules, which ripgrep reads too, or the configuration that names them are endless. */
async function hasEndlessExcludes(disk: GuardedDisk, cwd: string): Promise<boolean> {
  const { settings, rules } = await globalExcludesPath(process.env, async (path) => {
    // A configuration that cannot be read names no rules; ripgrep treats it the same way.
    const bytes = await disk.read(path, limitBytes).catch(() => null)
    return bytes === null ? null : bytes.toString('utf8')
  })
  for (const path of rules === null ? settings : [...settings, resolve(cwd, rules)]) {
    if (await isEndless(disk, path)) return true
  }
  return false
}

/** The folders below `top` that hold such a file, relative to it; none where there are too many to look at. */
async function foldersToLeaveOut(disk: GuardedDisk, top: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = []
  const folders = ['']
  for (const folder of folders) {
    if (signal.aborted || folders.length > limitFolders) break
    // Folders that cannot be listed are passed over by the search, too.
    const entries = await disk.list(join(top, folder)).catch(() => [])
    const names = new Set(entries.map(({ name }) => name))
    const candidates = ignoreFiles.filter(([path]) => names.has(path.split('/')[0] ?? ''))
    for (const [path] of folder === '' ? [] : candidates) {
      if (!(await isEndless(disk, join(top, folder, path)))) continue
      found.push(folder)
      break
    }
    if (found.at(-1) === folder && folder !== '') continue
    for (const entry of entries) {
      if (entry.isDirectory() && basename(entry.name) !== '.git') folders.push(joined(folder, entry.name))
    }
  }
  return found
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

async function isEndless(disk: Pick<Disk, 'stat'>, path: string): Promise<boolean> {
  try {
    const stats = await disk.stat(path)
    // A socket cannot be opened, so ripgrep does not wait for it.
    if (stats === undefined || stats.isDirectory() || stats.isSocket()) return false
    return !stats.isFile() || stats.size > limitBytes
  } catch {
    // A file that cannot be examined cannot be opened by ripgrep either.
    return false
  }
}
