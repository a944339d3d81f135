import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { HostEvent } from '../shared/domain/app/host-info.ts'
import { isAppError } from '../shared/errors.ts'
import { restoreAgentState } from './agent/agent-machine.ts'
import type { Deps } from './deps.ts'
import type { FileKinds } from './gates/risk/file-kinds.ts'
import { fileId, holdsKey, isKeptByGit } from './gates/risk/folder-assessment.ts'
import { type Disk, errorCode } from './platform/files/disk.ts'
import { isInside } from './platform/files/real-path.ts'
import type { PendingMoves } from './sandbox/changes/command-changes.ts'
import {
  type CommandSandbox,
  type CommandSandboxDeps,
  createCommandSandbox,
  type SecretPlaces,
  UnlistedFolder,
} from './sandbox/command-sandbox.ts'
import { createLinuxSandbox } from './sandbox/linux-sandbox.ts'
import { noSandbox } from './sandbox/sandbox.ts'
import type { SettingRepository } from './store/app/setting-repository.ts'
import type { SessionRepository } from './store/sessions/session-repository.ts'
import { programsOutside } from './tools/commands/environment/program-path.ts'
import type { LoginEnvironment } from './tools/commands/login-environment.ts'
import { mapTogether } from './workspace/map-together.ts'

const StoredKey = z.string().nullable().catch(null)

/** Creates the sandbox for commands of this host, with its state in the store. */
export async function createSessionSandbox(input: {
  deps: Pick<Deps, 'random' | 'log' | 'dataDir'>
  disk: Disk
  store: { settings: SettingRepository; sessions: Pick<SessionRepository, 'get'> }
  kinds: FileKinds
  loginEnvironment(): Promise<LoginEnvironment>
  notify(event: HostEvent): void
}): Promise<CommandSandbox> {
  const { deps, disk, kinds } = input
  const { settings, sessions } = input.store
  const dataDir = await disk.realPath(deps.dataDir)
  const sandbox =
    process.platform === 'linux'
      ? createLinuxSandbox({
          ...deps,
          disk,
          dataDir,
          home: homedir(),
          path: process.env.PATH ?? '',
          passed: {
            get: () => StoredKey.parse(settings.get('sandbox-passed') ?? null),
            set: (key) => settings.set('sandbox-passed', key),
          },
        })
      : noSandbox(process.platform)
  const environment = async (): Promise<Record<string, string>> => (await input.loginEnvironment()).variables
  const commands = createCommandSandbox({
    ...deps,
    sandbox,
    disk,
    dataDir,
    pathOfRun: (runId) => join(dataDir, 'sandbox', 'runs', runId),
    kept: {
      folders: () => z.array(z.string()).catch([]).parse(settings.get('sandbox-folders')),
      setFolders: (roots) => settings.set('sandbox-folders', roots),
      // Both are written by this app alone.
      asked: () => (settings.get('sandbox-asked') ?? {}) as ReturnType<CommandSandboxDeps['kept']['asked']>,
      setAsked: (runs) => settings.set('sandbox-asked', runs),
      moves: () => (settings.get('sandbox-moves') ?? {}) as Record<string, PendingMoves>,
      setMoves: (moves) => settings.set('sandbox-moves', moves),
    },
    environment,
    safeEnvironment: async (root) => programsOutside(await environment(), [root]),
    secretsIn: (root) => secretsIn(disk, kinds, root),
    isAsked: (path) => isAskedAnywhere(kinds, path),
    hasOpenGate: (sessionId, callId) => hasOpenGate(sessions, sessionId, callId),
  })
  for (const { project: root, paths } of await commands.recover())
    input.notify({ type: 'files-left', root, paths: paths.slice(0, 20), count: paths.length })
  // With a stored result the check costs only two short processes, and the first gate can offer the sandbox.
  if (typeof settings.get('sandbox-passed') === 'string') void commands.status()
  return commands
}

function hasOpenGate(sessions: Pick<SessionRepository, 'get'>, sessionId: string, callId: string): boolean {
  try {
    const { gates } = restoreAgentState(sessions.get(sessionId).state).state
    return gates.some(({ items }) => items.some((item) => item.callId === callId))
  } catch (error) {
    if (isAppError(error, 'session/not-found')) return false
    throw error
  }
}

/**
 * True for files that are asked about in ignored folders as well: secrets, and files that decide what runs, wholly or by
 * some of their entries.
 */
export function isAskedAnywhere(kinds: FileKinds, path: string): boolean {
  return [kinds.isSecret, kinds.isProtected, kinds.isCi, kinds.hasKeys].some((isOne) => isOne(path))
}

const listTimeoutMs = 20_000

/**
 * Returns the secrets of a folder, as real files in it: by name, as another name of such a file, and files of git's own
 * with a key in them. For a link to a secret, its target is listed. `folders` are those that cannot be listed: a command
 * could open them in its copy.
 */
export async function secretsIn(disk: Disk, kinds: FileKinds, root: string): Promise<SecretPlaces> {
  const { folders, closed } = await entriesIn(disk, root)
  const found = new Set<string>()
  for (const { folder, files, links } of folders)
    for (const names of [files, links])
      for (const name of names) if (kinds.isSecretIn(folder, name)) found.add(folder + name)
  const linked = new Set<string>()
  for (const path of found) linked.add((await fileId(disk, join(root, path))) ?? '')
  linked.delete('')
  for (const { folder, files } of folders) {
    // True of few folders: an answer about each file would take as long as the listing.
    if (linked.size === 0 && !isKeptByGit(`${root}/${folder}`)) continue
    for (const name of files) {
      const path = folder + name
      if (found.has(path)) continue
      const place = join(root, path)
      const isLinked = linked.size > 0 && linked.has((await fileId(disk, place)) ?? '')
      if (isLinked || (await holdsKey(disk, place))) found.add(path)
    }
  }
  const real: string[] = []
  for (const path of found) {
    const place = await realpath(join(root, path)).catch(() => null)
    if (place === null || !isInside(root, place)) continue
    if ((await lstat(place)).isFile()) real.push(place.slice(root.length + 1))
  }
  return { files: [...new Set(real)], folders: closed }
}

/** Names in a folder. Shape: `folder` is relative, and ends in `/` or is ''. */
type ListedFolder = { folder: string; files: string[]; links: string[] }

/**
 * Lists a folder with those below, ignored files included, links not followed.
 *
 * Shape: `closed` are folders that cannot be listed. Errors: `UnlistedFolder` where it takes too long.
 */
async function entriesIn(disk: Disk, root: string): Promise<{ folders: ListedFolder[]; closed: string[] }> {
  const listed: ListedFolder[] = []
  const closed: string[] = []
  const endAt = performance.now() + listTimeoutMs
  for (let folders = ['']; folders.length > 0; ) {
    const below = await mapTogether(folders, async (path) => {
      if (performance.now() > endAt) throw new UnlistedFolder()
      const entries = await disk.list(join(root, path)).catch((error: unknown) => {
        if (errorCode(error) === 'EACCES' && path !== '') closed.push(path)
        return []
      })
      const here: ListedFolder = { folder: path === '' ? '' : `${path}/`, files: [], links: [] }
      listed.push(here)
      const inside: string[] = []
      for (const entry of entries) {
        if (entry.isFile()) here.files.push(entry.name)
        else if (entry.isSymbolicLink()) here.links.push(entry.name)
        else if (entry.isDirectory() && isListed(here.folder + entry.name))
          inside.push(here.folder + entry.name)
      }
      return inside
    })
    folders = below.flat()
  }
  return { folders: listed, closed }
}

/** Returns whether secrets are looked for in a folder: not in `node_modules`, nor in Git's object stores. */
function isListed(folder: string): boolean {
  if (basename(folder) === 'objects') return !/(?:^|\/)\.git\//.test(folder)
  return basename(folder) !== 'node_modules'
}
