import { basename, dirname, join, resolve } from 'node:path'
import type { Disk } from '../../platform/files/disk.ts'
import { globalExcludesPath } from '../../platform/files/global-excludes.ts'
import { lateNode } from '../../platform/node/late-node.ts'
import { memoryLimited, notExecutable, notFound } from '../../platform/node/memory-limited.ts'
import { ripgrepPath } from './ripgrep-path.ts'

/**
 * How a search ended. Shape: `problem` is ripgrep's message about a bad pattern. `hasDied`: the program ended
 * unexpectedly, so that its results are incomplete.
 */
type RipgrepEnd = { isCut: boolean; problem: string | null; hasDied: boolean }

/** The folder and the arguments of a search. Shape: `cwd` may be a pinned folder; paths in `args` begin with `./`. */
type RipgrepRun = {
  /** Absent: the one that comes with the app. */
  rgPath?: string
  args: readonly string[]
  cwd: string
  separator: '\n' | '\0'
  timeoutMs: number
  signal: AbortSignal
}

/** Longer records are dropped: no line of a text is as long. Units: bytes. */
const limitRecordBytes = 20_000_000
const limitProblemChars = 1_000

/** Options of every search: no user configuration, ignore files without a repository, too, no unreadable files. */
const commonArgs = ['--no-config', '--no-require-git', '--no-messages', '--color=never']

/**
 * Runs ripgrep and passes its records to `onRecord` one by one, until that returns false.
 *
 * Errors: throws the signal's reason when it is aborted, and Node's own where the program cannot be started.
 */
export function runRipgrep(run: RipgrepRun, onRecord: (record: string) => boolean): Promise<RipgrepEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<RipgrepEnd>()
  if (run.signal.aborted) {
    reject(run.signal.reason)
    return promise
  }
  const [program, before] = memoryLimited(run.rgPath ?? ripgrepPath())
  const child = lateNode.childProcess().spawn(program, [...before, ...commonArgs, ...run.args], {
    cwd: run.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let isCut = false
  let complaint = ''
  const stop = (): void => {
    isCut = true
    child.kill('SIGKILL')
  }
  const timer = setTimeout(stop, run.timeoutMs)
  run.signal.addEventListener('abort', stop, { once: true })

  const records = splitRecords(run.separator, (record) => {
    if (!isCut && !onRecord(record)) stop()
  })
  child.stdout.on('data', (chunk: Buffer) => {
    if (!isCut) records.push(chunk)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < limitProblemChars) complaint += text
  })
  child.once('error', (error) => {
    clearTimeout(timer)
    run.signal.removeEventListener('abort', stop)
    reject(error)
  })
  child.once('close', (code) => {
    clearTimeout(timer)
    run.signal.removeEventListener('abort', stop)
    if (run.signal.aborted) return reject(run.signal.reason)
    if (code === notExecutable || code === notFound) return reject(new Error(complaint))
    // Found something: 0; nothing: 1; an error: 2.
    const hasDied = !isCut && (code === null || code > 2)
    const isRefused = code === 2 && !isCut && complaint !== ''
    resolve({
      isCut: isCut || hasDied,
      hasDied,
      problem: isRefused ? complaint.slice(0, limitProblemChars).trim() : null,
    })
  })
  return promise
}

function splitRecords(separator: string, onRecord: (record: string) => void): { push(chunk: Buffer): void } {
  const end = separator.charCodeAt(0)
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    if (size <= limitRecordBytes) parts.push(part)
  }
  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(end); at >= 0; at = chunk.indexOf(end, from)) {
        add(chunk.subarray(from, at))
        if (size <= limitRecordBytes) onRecord(Buffer.concat(parts).toString('utf8'))
        parts = []
        size = 0
        from = at + 1
      }
      add(chunk.subarray(from))
    },
  }
}

/** The ignore files that ripgrep opens by itself in every folder, with the option that keeps it from each. */
const ignoreFiles: [path: string, option: string][] = [
  ['.gitignore', '--no-ignore-vcs'],
  ['.ignore', '--no-ignore-dot'],
  ['.rgignore', '--no-ignore-dot'],
  ['.git/info/exclude', '--no-ignore-exclude'],
]
/** Ignore files above this size are treated like pipes, which never end. Units: bytes. */
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
    for (const [path, option] of ignoreFiles) if (await isEndless(disk, join(at, path))) options.add(option)
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
  for (const path of rules === null ? settings : [...settings, resolve(cwd, rules)])
    if (await isEndless(disk, path)) return true
  return false
}

/** Returns the folders below `top` that hold such a file, relative to it; none where there are too many to look at. */
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
    for (const entry of entries)
      if (entry.isDirectory() && basename(entry.name) !== '.git')
        folders.push(folder === '' ? entry.name : `${folder}/${entry.name}`)
  }
  return found
}

async function isEndless(disk: Pick<Disk, 'stat'>, path: string): Promise<boolean> {
  // A file that cannot be examined cannot be opened by ripgrep either.
  const stats = await disk.stat(path).catch(() => undefined)
  // A socket cannot be opened, so ripgrep does not wait for it.
  if (stats === undefined || stats.isDirectory() || stats.isSocket()) return false
  return !stats.isFile() || stats.size > limitBytes
}
