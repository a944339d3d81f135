import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, onAppError } from '../../../shared/errors.ts'
import type { Log } from '../../deps.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { foldersAbove } from '../../platform/files/real-path.ts'
import type { ChangeSetEntry, EntryState } from '../../store/works/change-set-repository.ts'
import type { RanCommand } from '../../tools/edits/effects-call.ts'
import type { CommitHooks } from '../../workspace/apply-change-set.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import type { EntryNow } from '../../workspace/entries/place-entry.ts'
import type { FileNow, WritableFolder } from '../../workspace/writable-folder.ts'
import type { EndedRun } from '../sandbox.ts'
import { disturbedPaths } from './disturbed-paths.ts'
import { type MoveFinding, moveIgnored, StrandedContents } from './move-ignored.ts'
import {
  type Effects,
  type EffectsDeps,
  type IgnoredPart,
  type LeftPath,
  leadsOut,
  readEffects,
} from './read-effects.ts'
import { TooManyChanges } from './read-upper.ts'

/** One file as a command left it. Null: no such file. Shape: `mode` where its permissions change. */
export type EffectFile = {
  path: string
  oldBytes: Uint8Array | null
  newBytes: Uint8Array | null
  mode: number | null
}

/** A link or a folder as a command left it. Shape: `leadsOut`: a link to a place outside of the project. */
export type EffectEntry = ChangeSetEntry & { leadsOut: boolean }

/** The effects of a command's run on the present files. */
export type CommandChangesPlan = Pick<Effects, 'ignored' | 'conflicts' | 'left'> & {
  files: EffectFile[]
  entries: EffectEntry[]
}

/**
 * Moves that are committed and may be unfinished. Shape: `beganAtNs` as in `SandboxRun`; without it, as earlier versions
 * stored them, nothing is moved over what is there.
 */
export type PendingMoves = { project: string; parts: readonly IgnoredPart[]; beganAtNs?: string }

/**
 * A run about whose changes the user is asked, as it is stored. Shape: `callId` is the call's in its session;
 * `beganAtNs` as in `SandboxRun`.
 */
export type AskedRun = RanCommand & { callId: string; project: string; beganAtNs: string }

/** The changes of one sandboxed command, until they are applied or dropped. */
export type CommandChanges = ReturnType<typeof createCommandChanges>

type AppliedChanges = { changeSetId: string; left: string[]; failed: string[] }

type FileEffect = Exclude<Effects['changes'][number], { kind: 'link' }>

export type CommandChangesDeps = EffectsDeps & {
  disk: Disk
  log: Pick<Log, 'write'>
  folder: Pick<WritableFolder, 'look' | 'problemOf' | 'entryAt' | 'entryProblemOf' | 'apply'>
  /** `done` is in one transaction with the change set. */
  asked: { keep(runId: string, run: AskedRun): void; done(runId: string): void }
  /** In one transaction with the change set; finished by `done`, else by the next start. */
  moves: {
    begin(runId: string, moves: PendingMoves): void
    done(runId: string): void
    isBegun(runId: string): boolean
  }
  remove(runId: string): Promise<void>
}

/** Limits above which changes are not offered. Units: files; bytes of all together. */
const limits = { files: 5_000, bytes: 256 * 1024 ** 2 } as const

/** A command's changes exceed the limits and are not offered. */
export class TooMuchChanged extends Error {}

export function createCommandChanges(run: EndedRun, deps: CommandChangesDeps) {
  const upper = join(run.folder, 'upper')

  /** Returns null where nothing would change, `'place'` where the file cannot be placed. Errors: `file/disk-full`. */
  async function fileOf(change: FileEffect): Promise<EffectFile | 'place' | null> {
    const now = await deps.folder.look(change.path)
    if (now.kind === 'other' || now.kind === 'elsewhere') return 'place'
    const file = await wantedAt(change, now)
    const problem = file === null ? null : await deps.folder.problemOf(changeOf(file), file.oldBytes)
    if (problem?.code === 'file/disk-full') throw new AppError(problem)
    return problem === null ? file : 'place'
  }

  /** Returns null where neither side is a link, `'place'` where one side is a file or the link cannot be placed. */
  async function linkOf(change: Effects['changes'][number]): Promise<EffectEntry | 'place' | null> {
    const { path } = change
    const before = await placedAt(path)
    const after: EntryState | null = change.kind === 'link' ? { kind: 'link', target: change.target } : null
    if (before === null && after === null) return null
    if (before === 'place' || (before !== null && before.kind !== 'link'))
      return after === null ? null : 'place'
    if (change.kind === 'file' || !(await canPlace({ path, before, after }))) return 'place'
    return { path, before, after, leadsOut: after?.kind === 'link' && leadsOut(path, after.target) }
  }

  async function foldersOf({ madeFolders, goneFolders }: Pick<Effects, 'madeFolders' | 'goneFolders'>) {
    const entries: EffectEntry[] = []
    const unplaced: LeftPath[] = []
    const add = async (path: string, before: EntryState | null, after: EntryState | null): Promise<void> => {
      if (await canPlace({ path, before, after })) entries.push({ path, before, after, leadsOut: false })
      else unplaced.push({ path, kind: 'place' })
    }
    for (const path of madeFolders) {
      const { mode } = await lstat(join(upper, path))
      if ((await placedAt(path)) === null) await add(path, null, { kind: 'folder', mode: mode & 0o777 })
    }
    for (const path of goneFolders) {
      const now = await placedAt(path)
      if (now !== 'place' && now?.kind === 'folder') await add(path, now, null)
    }
    return { entries, unplaced }
  }

  function placedAt(path: string): Promise<EntryNow | 'place'> {
    return deps.folder.entryAt(path).catch(onAppError('place' as const))
  }

  async function canPlace(entry: ChangeSetEntry): Promise<boolean> {
    return (await deps.folder.entryProblemOf(entry)) === null
  }

  async function wantedAt(
    change: FileEffect,
    now: Extract<FileNow, { kind: 'file' | 'none' }>,
  ): Promise<EffectFile | null> {
    const oldBytes = now.kind === 'file' ? now.bytes : null
    if (change.kind === 'gone')
      return oldBytes === null ? null : { path: change.path, oldBytes, newBytes: null, mode: null }
    const newBytes = await deps.disk.readPlain(join(upper, change.path), limits.bytes)
    const isModeNew = change.lowerMode === null ? change.mode !== 0o644 : change.mode !== change.lowerMode
    const isSame = oldBytes !== null && contentHash(oldBytes) === contentHash(newBytes)
    if (isSame && !isModeNew) return null
    return { path: change.path, oldBytes, newBytes, mode: isModeNew ? change.mode : null }
  }

  /** Returns deleted files that the command may have renamed to one of the paths that are `left` in the copy. */
  async function renamedOf(
    files: readonly EffectFile[],
    ignored: readonly IgnoredPart[],
    leftInCopy: readonly string[],
  ): Promise<Set<string>> {
    const stranded = new StrandedContents(deps.disk)
    for (const path of leftInCopy) await stranded.add(join(upper, path))
    const renamed = new Set<string>()
    for (const { path, oldBytes, newBytes } of files)
      if (newBytes === null && oldBytes !== null && stranded.has(oldBytes)) renamed.add(path)
    for (const { kind, path } of ignored.flatMap(({ changes }) => changes))
      if (kind === 'gone' && (await stranded.hasFile(join(run.project, path)))) renamed.add(path)
    return renamed
  }

  return {
    /** Computes the plan against the present files. */
    async plan(): Promise<CommandChangesPlan> {
      const { changes, left, ignored, conflicts, ...folders } = await readEffects(run, deps).catch(
        (error: unknown) => {
          throw error instanceof TooManyChanges ? new TooMuchChanged() : error
        },
      )
      const sizeBytes = changes.reduce((sum, one) => sum + (one.kind === 'file' ? one.sizeBytes : 0), 0)
      if (changes.length > limits.files || sizeBytes > limits.bytes) throw new TooMuchChanged()
      const files: EffectFile[] = []
      const entries: EffectEntry[] = []
      const unplaced: LeftPath[] = []
      const swapped = swappedPlaces(changes, folders.madeFolders)
      for (const change of changes) {
        const isSwapped = [change.path, ...foldersAbove(change.path)].some((path) => swapped.has(path))
        const entry = isSwapped ? 'place' : await linkOf(change)
        const file = entry === null && change.kind !== 'link' ? await fileOf(change) : null
        if (entry === 'place' || file === 'place') unplaced.push({ path: change.path, kind: 'place' })
        else if (entry !== null) entries.push(entry)
        else if (file !== null) files.push(file)
      }
      const renamed = await renamedOf(files, ignored, [...conflicts, ...unplaced.map(({ path }) => path)])
      const above = new Set([...renamed].flatMap(foldersAbove))
      const goneFolders = folders.goneFolders.filter((path) => !above.has(path))
      const placed = await foldersOf({ ...folders, goneFolders })
      entries.push(...placed.entries)
      // A folder is named by what is left in it, if anything is.
      const named = [...conflicts, ...renamed, ...[...left, ...unplaced].map(({ path }) => path)]
      const isNamed = (folder: string) => named.some((path) => path.startsWith(`${folder}/`))
      unplaced.push(...placed.unplaced.filter(({ path }) => !isNamed(path)))
      return {
        ignored: ignored.flatMap((part) => {
          const kept = part.changes.filter(({ kind, path }) => kind !== 'gone' || !renamed.has(path))
          return kept.length === 0 ? [] : [{ ...part, changes: kept, files: kept.length }]
        }),
        conflicts,
        files: files.filter(({ path }) => !renamed.has(path)),
        entries,
        left: [...left, ...unplaced, ...[...renamed].map((path) => ({ path, kind: 'place' as const }))],
      }
    },
    /**
     * Writes `files` and `entries` as one change set and moves the ignored ones into place; the run's folder is gone then.
     *
     * Shape: `left` was not changed; of `failed`, ignored files could not be moved. The run's folder is gone: what was not
     * applied is not tried again. Errors: as `WritableFolder.apply`; nothing was changed, and the run's folder is gone.
     */
    async apply(
      { files, entries, ignored }: Pick<CommandChangesPlan, 'files' | 'entries' | 'ignored'>,
      note: string,
      also: CommitHooks = {},
    ): Promise<AppliedChanges> {
      const pending = { project: run.project, parts: ignored, beganAtNs: String(run.beganAtNs) }
      const begin = (): void => {
        if (ignored.length > 0) deps.moves.begin(run.runId, pending)
        deps.asked.done(run.runId)
      }
      let applied: AppliedChanges = { changeSetId: '', left: [], failed: [] }
      if (files.length === 0 && entries.length === 0) begin()
      else {
        const applying = deps.folder.apply({
          changes: files.map(changeOf),
          entries: entries.map(({ path, before, after }) => ({ path, before, after })),
          note,
          alsoWrite(changeSetId) {
            begin()
            also.alsoWrite?.(changeSetId)
          },
          alsoTakeBack(changeSetId) {
            deps.moves.done(run.runId)
            also.alsoTakeBack?.(changeSetId)
          },
        })
        const { id, conflicts, waiting } = await applying.catch(async (error: unknown) => {
          // Moves that are committed are finished by the next start, from the run's folder.
          if (!deps.moves.isBegun(run.runId)) await drop().catch(logStaying)
          throw error
        })
        applied = { changeSetId: id, left: [...conflicts, ...waiting.map(({ path }) => path)], failed: [] }
      }
      const { left, failed, error } = await finishMoves(deps, run.folder, pending)
      if (failed.length > 0) deps.log.write('warn', 'sandbox.moves-failed', { error })
      // What failed is told, and must not be moved later over what is there by then.
      deps.moves.done(run.runId)
      await deps.remove(run.runId).catch(logStaying)
      return { ...applied, left: [...applied.left, ...left], failed }
    },
    /** Stores what a later host needs to ask the user again, until the changes are applied or dropped. */
    keep({ callId, command, result }: Pick<AskedRun, 'callId' | 'command' | 'result'>): void {
      const { runId, project, beganAtNs } = run
      deps.asked.keep(runId, { callId, command, result, project, beganAtNs: String(beganAtNs) })
    },
    drop,
  }

  function logStaying(error: unknown): void {
    deps.log.write('warn', 'sandbox.run-stays', { error })
  }

  async function drop(): Promise<void> {
    // In this order, a full disk has room for the second.
    await deps.remove(run.runId)
    deps.asked.done(run.runId)
  }
}

/**
 * Returns the paths where a folder replaces a file or a file a folder: a change set can create either only after the
 * other is removed, so both stay as they were.
 */
function swappedPlaces(changes: readonly { path: string }[], madeFolders: readonly string[]): Set<string> {
  const above = new Set([...changes.flatMap(({ path }) => foldersAbove(path)), ...madeFolders])
  return new Set(changes.flatMap(({ path }) => (above.has(path) ? path : [])))
}

/** Finishes the moves of committed changes. Leaves what somebody else changed since the command began, or holds. */
export async function finishMoves(
  { disk }: Pick<CommandChangesDeps, 'disk'>,
  runFolder: string,
  { project, parts, beganAtNs = '0' }: PendingMoves,
): Promise<MoveFinding> {
  const changes = parts.flatMap((part) => part.changes)
  try {
    // All are examined before the first move, which changes the time of other names of the same file.
    const disturbed = await disturbedPaths({ project, beganAtNs: BigInt(beganAtNs) }, changes)
    return await moveIgnored(disk, join(runFolder, 'upper'), project, changes, disturbed)
  } catch (error) {
    return { left: [], failed: changes.map(({ path }) => path), error }
  }
}

function changeOf({ path, oldBytes, newBytes, mode }: EffectFile): FileChange {
  const baseHash = oldBytes === null ? null : contentHash(oldBytes)
  if (newBytes === null) return { kind: 'delete', path, baseHash: baseHash ?? '' }
  return { kind: 'write', path, baseHash, bytes: newBytes, ...(mode === null ? {} : { mode }) }
}
