import { isAppError } from '../../../shared/errors.ts'
import type { Log } from '../../deps.ts'
import type { WorkRepository } from '../../store/works/work-repository.ts'
import type { AppliedChangeSet } from '../apply-change-set.ts'
import type { FileChange } from '../change-plan.ts'
import type { OpenWork } from './open-work.ts'
import type { WorkJson } from './work-json.ts'

export type RenamedFilesDeps = {
  log: Log
  works: WorkRepository
  /** Parts that move what they keep under the name of a file. */
  heard: Record<'now' | 'after', Set<RenameListener>>
}

export type RenameListener = (workId: string, from: string, to: string) => void | Promise<void>

type Rename = { from: string; to: string }
/** Shape: `root` is the work's folder. */
export type SessionChanges = { root: string; changes: readonly FileChange[] }

/** As `followRenames`, for the moves of a session that were made. Their change is done, whatever fails here. */
export async function followMoves(
  deps: RenamedFilesDeps,
  work: OpenWork,
  { changes }: SessionChanges,
  { conflicts, waiting }: AppliedChangeSet,
): Promise<void> {
  const left = new Set([...conflicts, ...waiting.map(({ path }) => path)])
  const renames = changes.flatMap((change) =>
    change.kind !== 'move' || left.has(change.path) || left.has(change.to)
      ? []
      : [{ from: change.path, to: change.to }],
  )
  try {
    await followRenames(deps, work, renames)
  } catch (error) {
    note(deps.log, error)
  }
}

/** Moves what belongs to renamed files to their new names: takes, caret, place in the order, kind, page, summary. */
export async function followRenames(
  { log, works, heard }: RenamedFilesDeps,
  work: OpenWork,
  renames: readonly Rename[],
): Promise<void> {
  const { workId } = work.stored
  for (const { from, to } of renames) {
    for (const listener of heard.now) void listener(workId, from, to)
    const place = works.places(workId)[from]
    if (place) works.keepPlace(workId, to, place, from)
    if (works.get(workId)?.lastPath === from) works.setLastPath(workId, to)
    work.noteRenamed(from, to)
  }
  if (work.canPatch) await work.patch((now) => renamedIn(now, renames))
  await work.refresh()
  for (const { from, to } of renames) {
    for (const listener of heard.after) {
      try {
        await listener(workId, from, to)
      } catch (error) {
        // The rename itself is done: only the data of other parts is still under the old name.
        note(log, error)
      }
    }
  }
}

function note(log: Log, error: unknown): void {
  if (isAppError(error)) log.write('warn', 'work.renamed', { code: error.info.code })
  else log.bug(error, 'work.renamed')
}

/** Returns what `work.json` says about renamed files, under their new names; null where it says nothing. */
function renamedIn(now: WorkJson, renames: readonly Rename[]): Partial<WorkJson> | null {
  let { order, kinds, pages } = now
  for (const { from, to } of renames) {
    if (!order.includes(from) && !(from in kinds) && !(from in pages)) continue
    const nowAt = (path: string) => (path === from ? to : path)
    // `work.json` may still have settings of a file that had the new name before: they are dropped.
    const moved = <T>(byPath: Record<string, T>) =>
      Object.fromEntries(
        Object.entries(byPath).flatMap(([path, value]) => (path === to ? [] : [[nowAt(path), value]])),
      )
    order = order.filter((path) => path !== to).map(nowAt)
    kinds = moved(kinds)
    pages = moved(pages)
  }
  return order === now.order && kinds === now.kinds ? null : { order, kinds, pages }
}
