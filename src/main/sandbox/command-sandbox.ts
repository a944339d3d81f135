import { join } from 'node:path'
import { z } from 'zod'
import type { HostEvent } from '../../shared/domain/app/host-info.ts'
import type { SandboxHindrance, SandboxStatus } from '../../shared/domain/session/sandbox.ts'
import type { Log, Random } from '../deps.ts'
import { type Disk, errorCode } from '../platform/files/disk.ts'
import type { SettingRepository } from '../store/app/setting-repository.ts'
import type { WritableFolder } from '../workspace/writable-folder.ts'
import {
  type AskedRun,
  type CommandChanges,
  createCommandChanges,
  finishMoves,
  type PendingMoves,
  TooMuchChanged,
} from './changes/command-changes.ts'
import { type CopyEffects, readCopy } from './changes/read-copy.ts'
import type { EffectsDeps } from './changes/read-effects.ts'
import { TooManyChanges } from './changes/read-upper.ts'
import type { CopyLayer } from './layer-copy.ts'
import type { EndedRun, Sandbox, SandboxRun } from './sandbox.ts'
import { mountedName } from './wall.ts'
import { type SizeWatch, watchSize } from './written-size.ts'

/** The result of a sandboxed command besides its output. Shape: `commandChanges` is null where it changed nothing. */
export type SandboxedEnd = { commandChanges: CommandChanges | null; hindrance: SandboxHindrance | null }

const limitBytes = 4 * 1024 ** 3
/** Limit for a command of a speculation, which the user has not asked for yet. */
const limitBytesSpeculated = 256 * 1024 ** 2
/** Maximum number of files of one command in a layer. */
const limitLayerFiles = 5_000

/** Runs commands of sessions in the sandbox, in folders where the user has switched it on. */
export type CommandSandbox = ReturnType<typeof createCommandSandbox>

/** Shape: `paths` are relative to `project`. */
type LeftFiles = { project: string; paths: string[] }

/** Shape: `isCut`: the command was ended from outside. */
type CommandOutput = { isOk: boolean; isCut: boolean; output: string }

/** Result of a command in a copy with a layer. Shape: `effects` null: too many, or the command failed (`hindrance`). */
type CopyEnd = { effects: CopyEffects | null; hindrance: SandboxHindrance | null }

/** The secrets of a folder could not be found in time: a command in its copy could read them. */
export class UnlistedFolder extends Error {}

/** Files and folders that are hidden from a command. Shape: paths relative to the folder; no symbolic links. */
export type SecretPlaces = { files: string[]; folders: string[] }

/**
 * The folder in which a command runs, and the session that runs it (`ownerId`). With `over`, a layer lies on top of the
 * copy, and the command's changes cannot be applied.
 */
export type SandboxPlace = {
  ownerId: string
  root: string
  cwd: string
  added: readonly string[]
  folder: Pick<WritableFolder, 'look' | 'problemOf' | 'entryAt' | 'entryProblemOf' | 'apply'>
  over?: CopyLayer
}

type CommandPlace = Pick<SandboxPlace, 'ownerId' | 'root' | 'folder'>
type OwnedRun = AskedRun & { ownerId: string }

export type CommandSandboxDeps = {
  sandbox: Sandbox
  disk: Disk
  random: Random
  log: Log
  dataDir: string
  /** Folders in which the user switched it on, runs that are asked about, and moves that are committed; by run. */
  kept: {
    folders(): string[]
    setFolders(roots: readonly string[]): void
    asked(): Record<string, OwnedRun>
    setAsked(runs: Record<string, OwnedRun>): void
    moves(): Record<string, PendingMoves>
    setMoves(moves: Record<string, PendingMoves>): void
  }
  environment(): Promise<Record<string, string>>
  /** The environment without programs that lie in the folder. */
  safeEnvironment(root: string): Promise<Record<string, string>>
  /** Returns null where the secrets cannot be found in time. */
  secretsIn(root: string): Promise<SecretPlaces | null>
  isAsked(path: string): boolean
  /** True where a stored session has an approval open about a call. */
  hasOpenGate(sessionId: string, callId: string): boolean
}

export function createCommandSandbox(deps: CommandSandboxDeps) {
  const { sandbox, kept } = deps
  const moves = {
    begin: (runId: string, pending: PendingMoves) => kept.setMoves({ ...kept.moves(), [runId]: pending }),
    done(runId: string): void {
      const { [runId]: _, ...others } = kept.moves()
      kept.setMoves(others)
    },
    isBegun: (runId: string) => kept.moves()[runId] !== undefined,
  }

  const askedDone = (runId: string): void => {
    const { [runId]: run, ...others } = kept.asked()
    if (run !== undefined) kept.setAsked(others)
  }
  const commandChangesOf = async (
    run: EndedRun,
    { root, ownerId, folder }: CommandPlace,
  ): Promise<CommandChanges> =>
    createCommandChanges(run, {
      ...(await effectsDeps(root)),
      disk: deps.disk,
      log: deps.log,
      folder,
      asked: {
        keep(runId, asked) {
          try {
            kept.setAsked({ ...kept.asked(), [runId]: { ...asked, ownerId } })
          } catch (error) {
            // The user is asked all the same. If the host ends meanwhile, the changes are said to be gone.
            if (errorCode(error) !== 'SQLITE_FULL') throw error
            deps.log.write('warn', 'sandbox.asked-not-kept', { error })
          }
        },
        done: askedDone,
      },
      moves,
      remove: sandbox.remove,
    })

  const setOn = (root: string, isOn: boolean): void => {
    const others = kept.folders().filter((one) => one !== root)
    kept.setFolders(isOn ? [...others, root] : others)
  }

  const limitBytesOf = ({ over }: SandboxPlace): number =>
    over === undefined ? limitBytes : limitBytesSpeculated
  const effectsDeps = async (root: string): Promise<EffectsDeps> => ({
    dataDir: deps.dataDir,
    environment: await deps.safeEnvironment(root),
    isAsked: deps.isAsked,
  })

  let profile: string | null = null
  const noted = async (trial: Promise<SandboxStatus>): Promise<SandboxStatus> => {
    const status = await trial
    profile = status.kind === 'ready' ? `${status.version} ${status.wall}` : null
    return status
  }
  const status = () => noted(sandbox.status())
  const recheck = () => noted(sandbox.recheck())

  /** Returns why a command failed. Where the copy could not be made, repeats the trial, so that settings show why. */
  async function hindranceOf(
    { folder }: SandboxRun,
    { isOk, isCut, output }: CommandOutput,
  ): Promise<SandboxHindrance | null> {
    if (isOk) return null
    const isMounted = (await deps.disk.lstat(join(folder, mountedName))) !== undefined
    if (isCut || (isMounted && !isOfBubblewrap.test(output))) return hindranceIn(output)
    void recheck()
    return 'mount'
  }

  /** Removes a run. One that cannot be removed takes space, but must not stop the host. */
  const tidy = (runId: string): Promise<void> =>
    sandbox.remove(runId).catch((error: unknown) => deps.log.write('warn', 'sandbox.run-stays', { error }))

  /**
   * Finishes moves of a host that was killed, and removes other runs, except those that are still asked about. Returns
   * the files that were not moved and are not tried again, by project.
   */
  async function recover(): Promise<LeftFiles[]> {
    const found: LeftFiles[] = []
    for (const [runId, pending] of Object.entries(kept.moves())) {
      askedDone(runId)
      const { left, failed, error } = await finishMoves(
        deps,
        join(deps.dataDir, 'sandbox', 'runs', runId),
        pending,
      )
      if (left.length > 0) {
        deps.log.write('warn', 'sandbox.moves-left', { count: left.length })
        found.push({ project: pending.project, paths: left })
      }
      // The user has not been told of these failures: the next start tries again.
      if (failed.length > 0) deps.log.write('warn', 'sandbox.moves-wait', { error })
      else moves.done(runId)
    }
    const runs = new Set(await sandbox.kept())
    for (const [runId, { ownerId, callId }] of Object.entries(kept.asked()))
      if (!runs.has(runId) || !deps.hasOpenGate(ownerId, callId)) askedDone(runId)
    const waiting = new Set([kept.moves(), kept.asked()].flatMap(Object.keys))
    for (const runId of runs) if (!waiting.has(runId)) await tidy(runId)
    return found
  }

  return {
    /** True where commands can run in a copy of this folder: the trial passed, and it may have a copy. */
    isReady: async (root: string): Promise<boolean> =>
      sandbox.mayCopy(root) && (await status()).kind === 'ready',
    /** Returns the same as far as it is known by now. */
    isKnownReady(root: string): boolean {
      void status()
      return profile !== null && sandbox.mayCopy(root)
    },
    /** Returns the version of bubblewrap and the name of the wall whose trial passed; null where none has. */
    profile: (): string | null => profile,
    turnOn: (root: string): void => setOn(root, true),
    setOn,
    status,
    recheck,
    isOn: (root: string): boolean => kept.folders().includes(root),
    folders: (): string[] => kept.folders(),
    /** Errors: `UnlistedFolder`; `file/…` where the run's folders cannot be made. */
    async begin(place: SandboxPlace): Promise<SandboxRun> {
      const { root, cwd, added, over } = place
      const secretsOf = async (folder: string): Promise<SecretPlaces> => {
        const secrets = await deps.secretsIn(folder)
        if (secrets === null) throw new UnlistedFolder()
        return secrets
      }
      const masksOf = async (folder: string): Promise<string[]> =>
        (await secretsOf(folder)).files.map((path) => join(folder, path))
      const [environment, secrets, outside] = await Promise.all([
        deps.environment(),
        secretsOf(root),
        Promise.all(added.map(masksOf)),
      ])
      const runId = deps.random.id()
      return sandbox.begin({
        runId,
        project: root,
        cwd,
        added,
        environment,
        masked: secrets.files,
        maskedFolders: secrets.folders,
        maskedOutside: outside.flat(),
        limitBytes: limitBytesOf(place),
        ...(over === undefined ? {} : { over }),
      })
    },
    /** Reads what the command left of a copy with a layer; the run's folder stays until `remove`. */
    async endCopy(run: SandboxRun, { root, over }: SandboxPlace, outcome: CommandOutput): Promise<CopyEnd> {
      const hindrance = await hindranceOf(run, outcome)
      if (over === undefined || hindrance !== null) return { effects: null, hindrance }
      try {
        const effects = await readCopy(run, over, await effectsDeps(root))
        if (effects.files.length > limitLayerFiles) throw new TooManyChanges()
        return { effects, hindrance }
      } catch (error) {
        if (error instanceof TooManyChanges) return { effects: null, hindrance: 'size' }
        throw error
      }
    },
    /** Reads what the command left behind; a run without changes is removed. */
    async end(run: SandboxRun, place: SandboxPlace, outcome: CommandOutput): Promise<SandboxedEnd> {
      const commandChanges = await commandChangesOf(run, place)
      const hindrance = await hindranceOf(run, outcome)
      if (hindrance === 'mount') {
        await commandChanges.drop()
        return { commandChanges: null, hindrance }
      }
      try {
        const { files, entries, ignored, conflicts, left } = await commandChanges.plan()
        const isEmpty = [files, entries, ignored, conflicts, left].every((list) => list.length === 0)
        if (isEmpty) await commandChanges.drop()
        return { commandChanges: isEmpty ? null : commandChanges, hindrance }
      } catch (error) {
        await commandChanges.drop()
        if (error instanceof TooMuchChanged) return { commandChanges: null, hindrance: 'size' }
        throw error
      }
    },
    /** Opens the run about whose changes the user was asked when an earlier host ended; null where it is gone. */
    async reopen({
      callId,
      ...place
    }: CommandPlace & { callId: string }): Promise<
      (Pick<AskedRun, 'command' | 'result'> & { commandChanges: CommandChanges }) | null
    > {
      const { ownerId, root } = place
      const isOfCall = (asked: OwnedRun): boolean =>
        asked.ownerId === ownerId && asked.callId === callId && asked.project === root
      const found = Object.entries(kept.asked()).find(([, asked]) => isOfCall(asked))
      if (found === undefined) return null
      const [runId, { project, beganAtNs, command, result }] = found
      const run = await sandbox.reopen({ runId, project, beganAtNs: BigInt(beganAtNs) })
      return run === null ? null : { commandChanges: await commandChangesOf(run, place), command, result }
    },
    /** Removes the runs about whose changes a session was asked. */
    async dropOf(ownerId: string): Promise<void> {
      for (const [runId, asked] of Object.entries(kept.asked())) {
        if (asked.ownerId !== ownerId) continue
        askedDone(runId)
        await tidy(runId)
      }
    },
    /** Calls `onTooMuch` once the run's command has written more than it may. */
    watch: (run: SandboxRun, place: SandboxPlace, onTooMuch: () => void): SizeWatch =>
      watchSize(deps.disk, run, limitBytesOf(place), onTooMuch),
    /** Removes a run that was not used. */
    remove: (run: SandboxRun): Promise<void> => sandbox.remove(run.runId),
    recover,
    /** Recovers, and names left files in the window. `isTried`: a trial has passed before, so that it costs little. */
    async start(notify: (event: HostEvent) => void, isTried: boolean): Promise<void> {
      for (const { project: root, paths } of await recover())
        notify({ type: 'files-left', root, paths: paths.slice(0, 20), count: paths.length })
      // The first gate can offer the sandbox then.
      if (isTried) void status()
    },
  }
}

/** Returns the state of the sandbox as the store keeps it; `passed` is the key of the trial that has passed. */
export function storedSandboxState(settings: Pick<SettingRepository, 'get' | 'set'>) {
  const passed = {
    get: () =>
      z
        .string()
        .nullable()
        .catch(null)
        .parse(settings.get('sandbox-passed') ?? null),
    set: (key: string) => settings.set('sandbox-passed', key),
  }
  const kept: CommandSandboxDeps['kept'] = {
    folders: () => z.array(z.string()).catch([]).parse(settings.get('sandbox-folders')),
    setFolders: (roots) => settings.set('sandbox-folders', roots),
    // Both are written by this app alone.
    asked: () => (settings.get('sandbox-asked') ?? {}) as Record<string, OwnedRun>,
    setAsked: (runs) => settings.set('sandbox-asked', runs),
    moves: () => (settings.get('sandbox-moves') ?? {}) as Record<string, PendingMoves>,
    setMoves: (moves) => settings.set('sandbox-moves', moves),
  }
  return { passed, kept }
}

/** bubblewrap ends with one line of its own where it cannot build the wall. */
const isOfBubblewrap = /^bwrap: [^\n]*\n?$/

/** Returns where a secret's name begins in a line; the line's length where it has none. Units: UTF-16. */
function secretAt(line: string): number {
  const at = line.search(/\.env|\.pem|\.key|\.npmrc|credentials/)
  return at < 0 ? line.length : at
}

/**
 * Messages by which a hindrance is recognised: names of errors, and the C library's sentences in English and Japanese,
 * since a command prints them in the language of its user.
 */
const printed = {
  network:
    /EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED|getaddrinfo|[Cc]ould not resolve|[Nn]ame resolution|Network is unreachable|Name or service not known|Connection refused|名前解決に一時的に失敗しました|名前またはサービスが不明です|ホスト名にアドレスが割り当てられていません|ネットワークに届きません|接続を拒否されました/,
  denied: /EACCES|Permission denied|許可がありません/,
  right:
    /EROFS|[Rr]ead-only file system|EXDEV|Invalid cross-device link|EOVERFLOW|Value too large|Operation not permitted|読み込み専用ファイルシステム|無効なクロスデバイスリンク|データ型に対して値が大きすぎます|許可されていない操作/,
} as const

/** Recognises a hindrance by the words of programs; null where none of them is found. */
export function hindranceIn(output: string): SandboxHindrance | null {
  if (printed.network.test(output)) return 'network'
  if (output.split('\n').some((line) => printed.denied.test(line.slice(secretAt(line))))) return 'secret'
  return printed.right.test(output) || printed.denied.test(output) ? 'right' : null
}
