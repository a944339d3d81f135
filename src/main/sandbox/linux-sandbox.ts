import { lstat } from 'node:fs/promises'
import { release } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { SandboxStatus } from '../../shared/domain/session/sandbox.ts'
import { AppError } from '../../shared/errors.ts'
import type { Log, Random } from '../deps.ts'
import { type Disk, errorCode } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { isInside } from '../platform/files/real-path.ts'
import { createEtcCopies } from './etc-copy.ts'
import { type CopyLayer, writeLayer } from './layer-copy.ts'
import { probe } from './probe.ts'
import { type FoundPrograms, findPrograms, hasLimitOfSpace, kernelProblem, searchPathOf } from './programs.ts'
import { createRunFolders } from './run-folders.ts'
import { noSandbox, type Sandbox, type SandboxRequest, type SandboxRun } from './sandbox.ts'
import { visiblePlaces } from './visible-places.ts'
import { mergedWall, type WallPrograms, wallName, wallOf } from './wall.ts'

const limitProcesses = 4096

/** Creates the sandbox of this system, which may have none. */
export const createSandbox = (deps: Parameters<typeof createLinuxSandbox>[0]): Sandbox =>
  process.platform === 'linux' ? createLinuxSandbox(deps) : noSandbox(process.platform)

/** Creates the sandbox of Linux: an overlay in a user namespace, bubblewrap inside. */
export function createLinuxSandbox(deps: {
  disk: Disk
  random: Random
  log: Log
  dataDir: string
  home: string
  /** The search path of the sandbox's programs. */
  path: string
  /** The stored key of a passed trial; null where there is none. Shape: names kernel, version, user and wall. */
  passed: { get(): string | null; set(key: string): void }
}): Sandbox {
  const folders = createRunFolders(deps.disk, deps.dataDir)
  const etcCopy = createEtcCopies(deps.disk, join(deps.dataDir, 'sandbox', 'etc'))
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  let known: Promise<SandboxStatus> | undefined
  let programs: WallPrograms | undefined

  async function find(): Promise<FoundPrograms | SandboxStatus> {
    const kernel = kernelProblem(release())
    if (kernel !== null) return { kind: 'none', part: 'kernel', detail: kernel }
    const found = await findPrograms(deps.path)
    if ('missing' in found) return { kind: 'none', part: 'program', detail: found.missing }
    programs = found.programs
    return found
  }

  async function look(mayUsePassed: boolean): Promise<SandboxStatus> {
    try {
      const found = await find()
      if ('kind' in found) return found
      const wall = wallName(found.programs)
      const ready: SandboxStatus = { kind: 'ready', version: found.version, wall }
      const key = [release(), found.version, uid, wall].join(' ')
      if (mayUsePassed && deps.passed.get() === key) return ready
      const failed = await probe({
        begin,
        remove: folders.remove,
        random: deps.random,
        dataDir: deps.dataDir,
      })
      if (failed !== null) return { kind: 'none', ...failed }
      deps.passed.set(key)
      return ready
    } catch (error) {
      const logId = deps.log.bug(error, 'sandbox.probe')
      return { kind: 'none', part: 'start', detail: logId }
    }
  }

  async function begin(request: SandboxRequest): Promise<SandboxRun> {
    if (programs === undefined) throw new Error('a sandboxed run before its programs were found')
    const { runId, project, environment } = request
    const { home, dataDir } = deps
    const folder = folders.pathOf(runId)
    const beganAtNs = await folders.make(runId)
    const isThere = () => true
    const [searchPath, privateHome, mask, etc, visible, hasGit] = await Promise.all([
      searchPathOf(deps.path, project),
      folders.homeOf(project),
      folders.mask(),
      etcCopy(runId),
      visiblePlaces({ path: environment.PATH ?? '', home, project, dataDir }),
      lstat(join(project, '.git')).then(isThere, () => false),
      request.over === undefined ? undefined : layOver(folder, project, request.over),
    ])
    const gone = new Set(request.over?.gone)
    const readable = [...visible, ...[...etc.folders, ...request.added].map((path) => ({ path }))]
    const wall = wallOf({
      programs,
      searchPath,
      run: folder,
      project,
      cwd: request.cwd,
      uid,
      gid,
      home,
      privateHome,
      mask,
      masked: request.masked.filter((path) => !gone.has(path)),
      maskedFolders: request.maskedFolders ?? [],
      maskedOutside: (request.maskedOutside ?? []).filter((path) => !isInside(project, path)),
      readOnly: hasGit ? ['.git'] : [],
      etc: etc.path,
      visible: readable,
      limitFileBytes: request.limitBytes,
      limitProcesses: request.limitProcesses ?? limitProcesses,
      hasLimitOfSpace: hasLimitOfSpace(release()),
    })
    const merged = mergedWall({ programs, searchPath, run: folder, project })
    const places = { writable: [home, project], readable: readable.map(({ path }) => path) }
    return {
      runId,
      folder,
      project,
      privateHome,
      wall,
      environment: inside(environment, places),
      beganAtNs,
      merged,
    }
  }

  /** Writes the layer of a run. Errors: `file/…`; the run's folder is removed then. */
  function layOver(folder: string, project: string, over: CopyLayer): Promise<void> {
    return writeLayer(folder, project, over).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw toFileError(error, folder)
      throw new AppError({ code: 'speculation/files-gone' }, { cause: error })
    })
  }

  // The command would see the data folder, and its overlay would lie inside itself.
  const mayCopy = (project: string): boolean =>
    !isInside(project, deps.dataDir) && !isInside(project, deps.home)

  return {
    mayCopy,
    status: () => {
      known ??= look(true)
      return known
    },
    recheck: () => {
      known = look(false)
      return known
    },
    async begin(request) {
      if (!mayCopy(request.project))
        throw new Error('a folder that holds the home or data folder has no sandbox')
      await (known ?? find())
      try {
        return await begin(request)
      } catch (error) {
        await folders.remove(request.runId).catch(() => undefined)
        throw error
      }
    },
    async reopen(run) {
      const { runId, project } = run
      const folder = folders.pathOf(runId)
      const upper = await deps.disk.lstat(join(folder, 'upper'))
      if (programs === undefined) await find()
      if (programs === undefined || upper?.isDirectory() !== true) return null
      const searchPath = await searchPathOf(deps.path, project)
      return { ...run, folder, merged: mergedWall({ programs, searchPath, run: folder, project }) }
    },
    remove: folders.remove,
    kept: folders.list,
  }
}

/** Variables that name paths or sockets of the host that do not exist in the sandbox. */
const hostOnly =
  /^(?:TMP|TEMP|TMPDIR|XDG_RUNTIME_DIR|DBUS_.*|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST)$/

/** Variables that name caches, which tools must be able to write. */
const caches = /^(?:GOCACHE|PIP_CACHE_DIR|XDG_CACHE_HOME)$/
/** Variables that name folders of packages, which are of use also where they can only be read. */
const packages = /^(?:CARGO_HOME|GOMODCACHE|GOPATH)$/

/**
 * Returns the environment of a command in the sandbox. A variable that leads tools to a cache or to packages where the
 * command cannot use them is left out, so that the tool takes its default, which lies in the private home.
 */
function inside(
  environment: Readonly<Record<string, string>>,
  { writable, readable }: { writable: readonly string[]; readable: readonly string[] },
): Record<string, string> {
  const isKept = ([name, value]: [string, string]): boolean => {
    if (hostOnly.test(name)) return false
    const isPackages = packages.test(name)
    if (!isPackages && !caches.test(name)) return true
    // Go writes to the first place of its list.
    const [place = ''] = value.split(delimiter)
    const usable = isPackages ? [...writable, ...readable] : writable
    return isAbsolute(place) && usable.some((folder) => isInside(folder, place))
  }
  return Object.fromEntries(Object.entries(environment).filter(isKept))
}
