import type { SandboxHindrance, SandboxStatus } from '../../shared/domain/session/sandbox.ts'
import type { Log, Random } from '../deps.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { WritableFolder } from '../workspace/writable-folder.ts'
import type { Sandbox, SandboxRun } from './sandbox.ts'
import { createTakeover, finishMoves, type PendingMoves, type Takeover, TooMuchChanged } from './takeover.ts'

/** What became of a sandboxed command besides its output. Shape: `takeover` is null where it changed nothing. */
export type SandboxedEnd = { takeover: Takeover | null; hindrance: SandboxHindrance | null }

const limitBytes = 4 * 1024 ** 3

/** Runs commands of sessions behind the wall, in folders where the user wants that. */
export type CommandSandbox = {
  status(): Promise<SandboxStatus>
  recheck(): Promise<SandboxStatus>
  isReady(): Promise<boolean>
  isKnownReady(): boolean
  isOn(root: string): boolean
  turnOn(root: string): void
  setOn(root: string, isOn: boolean): void
  begin(place: SandboxPlace): Promise<SandboxRun>
  /** Reads what the command left behind; a run without changes is removed. */
  end(run: SandboxRun, place: SandboxPlace, outcome: { isOk: boolean; output: string }): Promise<SandboxedEnd>
  /** Of a run that came to nothing. */
  remove(run: SandboxRun): Promise<void>
  /** Units: bytes that one command may write. */
  readonly limitBytes: number
  /** Finishes moves of a host that was killed, and removes what other runs left. */
  recover(): Promise<void>
}

export type SandboxPlace = {
  root: string
  cwd: string
  added: readonly string[]
  folder: Pick<WritableFolder, 'look' | 'apply'>
}

export type CommandSandboxDeps = {
  sandbox: Sandbox
  disk: Disk
  random: Random
  log: Log
  dataDir: string
  pathOfRun(runId: string): string
  /** Folders in which the user switched it on, and moves that are committed. */
  kept: {
    folders(): string[]
    setFolders(roots: readonly string[]): void
    moves(): Record<string, PendingMoves>
    setMoves(moves: Record<string, PendingMoves>): void
  }
  environment(): Promise<Record<string, string>>
  /** The same without programs that lie in the folder. */
  safeEnvironment(root: string): Promise<Record<string, string>>
  /** Secrets of a folder. Shape: relative paths of files that are no links. */
  secretsIn(root: string): Promise<string[]>
  isAsked(path: string): boolean
}

export function createCommandSandbox(deps: CommandSandboxDeps): CommandSandbox {
  const { sandbox, kept } = deps
  const withMoves = (change: (moves: Record<string, PendingMoves>) => void): void => {
    const moves = { ...kept.moves() }
    change(moves)
    kept.setMoves(moves)
  }
  const moves = {
    begin: (runId: string, pending: PendingMoves) =>
      withMoves((all) => {
        all[runId] = pending
      }),
    done: (runId: string) =>
      withMoves((all) => {
        delete all[runId]
      }),
  }

  const setOn = (root: string, isOn: boolean): void => {
    const others = kept.folders().filter((one) => one !== root)
    kept.setFolders(isOn ? [...others, root] : others)
  }

  let hasPassed = false
  const noted = async (trial: Promise<SandboxStatus>): Promise<SandboxStatus> => {
    const status = await trial
    hasPassed = status.kind === 'ready'
    return status
  }
  const status = () => noted(sandbox.status())

  return {
    isReady: async () => (await status()).kind === 'ready',
    isKnownReady() {
      void status()
      return hasPassed
    },
    turnOn: (root) => setOn(root, true),
    setOn,
    status,
    recheck: () => noted(sandbox.recheck()),
    isOn: (root) => kept.folders().includes(root),
    async begin({ root, cwd, added }) {
      const [environment, masked] = await Promise.all([deps.environment(), deps.secretsIn(root)])
      const runId = deps.random.id()
      return sandbox.begin({ runId, project: root, cwd, added, environment, masked, limitBytes })
    },
    async end(run, { root, folder }, { isOk, output }) {
      const takeover = createTakeover(run, {
        disk: deps.disk,
        dataDir: deps.dataDir,
        environment: await deps.safeEnvironment(root),
        isAsked: deps.isAsked,
        folder,
        moves,
        remove: sandbox.remove,
      })
      const hindrance = isOk ? null : hindranceIn(output)
      try {
        const { files, ignored, conflicts, left } = await takeover.plan()
        const isEmpty = [files, ignored, conflicts, left].every((list) => list.length === 0)
        if (isEmpty) await takeover.drop()
        return { takeover: isEmpty ? null : takeover, hindrance }
      } catch (error) {
        await takeover.drop()
        if (error instanceof TooMuchChanged) return { takeover: null, hindrance: 'size' }
        throw error
      }
    },
    limitBytes,
    remove: (run) => sandbox.remove(run.runId),
    async recover() {
      for (const [runId, pending] of Object.entries(kept.moves())) {
        try {
          await finishMoves(deps, deps.pathOfRun(runId), pending)
          moves.done(runId)
        } catch (error) {
          // The next start tries again.
          deps.log.write('warn', 'sandbox.moves-wait', { error })
        }
      }
      const waiting = new Set(Object.keys(kept.moves()))
      for (const runId of await sandbox.kept()) if (!waiting.has(runId)) await sandbox.remove(runId)
    },
  }
}

/** By the words that programs use; what they say of nothing else is not known. */
function hindranceIn(output: string): SandboxHindrance | null {
  if (
    /EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED|getaddrinfo|[Cc]ould not resolve|[Nn]ame resolution|Network is unreachable|Name or service not known|Connection refused/.test(
      output,
    )
  )
    return 'network'
  if (/(?:\.env|\.pem|\.key|\.npmrc|credentials)[^\n]*(?:Permission denied|EACCES)/.test(output))
    return 'secret'
  if (
    /EROFS|[Rr]ead-only file system|EXDEV|EOVERFLOW|Value too large|Operation not permitted|EACCES|Permission denied/.test(
      output,
    )
  )
    return 'right'
  return null
}
