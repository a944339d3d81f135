import type { EndlessDraft, EndlessEnd, Run } from '../../shared/domain/drafting/run.ts'
import type { Take } from '../../shared/domain/drafting/take.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import type { Clock, Log } from '../deps.ts'
import { type Broadcast, createBroadcast } from '../platform/broadcast.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { DraftDeps, DraftService, DraftStart, SentDraft } from './draft-service.ts'
import type { PendingPlaces } from './takes/pending-places.ts'

/**
 * Generates blocks one after another until it is stopped, or as many takes as were asked for, at the same time where
 * the model serves several requests at once. It runs in the host: closing a window does not end it.
 */
export type EndlessDrafts = ReturnType<typeof createEndlessDrafts>

export type EndlessDeps = {
  clock: Clock
  log: Log
  drafts: Pick<DraftService, 'begin'>
  works: Pick<DraftDeps['works'], 'follow'>
  settings: DraftDeps['settings']
  runs: Pick<RunRegistry, 'stop' | 'onChange' | 'find'>
  places: PendingPlaces
}

export type LiveEndless = {
  request: DraftStart
  shown: EndlessDraft
  draft: SentDraft
  stop: AbortController
  isMoved: boolean
  /** The ids of the runs that are being written. */
  writing: Set<string>
}

/** The key in `PendingPlaces` under which the position of *continue from here* is followed. */
const placeKey = (workId: string): string => `endless ${workId}`

export function createEndlessDrafts(deps: EndlessDeps) {
  const live = new Map<string, LiveEndless>()
  const last = new Map<string, EndlessDraft>()
  const changes: Broadcast<{ workId: string; endless: EndlessDraft }> = createBroadcast()
  const waiting = new Map<string, (run: Run) => void>()
  deps.runs.onChange((run) => {
    if (run.state === 'running') return
    waiting.get(run.runId)?.(run)
    waiting.delete(run.runId)
  })

  const tell = (one: LiveEndless, change: Partial<EndlessDraft>): void => {
    one.shown = { ...one.shown, ...change }
    last.set(one.request.workId, one.shown)
    changes.send({ workId: one.request.workId, endless: one.shown })
  }

  function end(one: LiveEndless, reason: EndlessEnd, error: ErrorInfo | null = null): void {
    live.delete(one.request.workId)
    deps.places.drop(placeKey(one.request.workId))
    tell(one, { end: reason, error })
  }

  function stopRuns(one: LiveEndless): void {
    for (const runId of new Set([one.shown.runId, ...one.writing])) deps.runs.stop(runId)
  }

  function ended(runId: string): Promise<Run> {
    const run = deps.runs.find(runId)
    if (run !== undefined && run.state !== 'running') return Promise.resolve(run)
    return new Promise((resolve) => waiting.set(runId, resolve))
  }

  return {
    /** Begins with a first block. Errors: as `DraftService.start`. */
    async start(request: DraftStart, signal: AbortSignal): Promise<Run> {
      if (live.has(request.workId)) throw new AppError({ code: 'run/busy' })
      const begun = await deps.drafts.begin(request, signal)
      const { run, draft } = begun
      const { runId, placeId } = run
      const { workId, path, mode, takes } = request
      const shown: EndlessDraft = {
        path,
        mode: mode === 'idea' ? mode : 'generate',
        block: 1,
        runId,
        placeId,
        ...(takes !== undefined && { total: takes }),
        end: null,
        error: null,
      }
      const one: LiveEndless = {
        request,
        shown,
        draft,
        stop: new AbortController(),
        isMoved: false,
        writing: new Set(),
      }
      live.set(workId, one)
      if (mode === 'generate')
        deps.places.follow(placeKey(workId), run.position, (stop) => deps.works.follow(workId, path, stop))
      tell(one, {})
      const write = async () => {
        const { writeBlocks } = await import('./write-blocks.ts')
        await writeBlocks({ ...deps, placeKey, tell, end, ended }, one, begun)
      }
      write().catch((error: unknown) => {
        if (one.stop.signal.aborted) return end(one, 'stopped')
        const info: ErrorInfo =
          error instanceof AppError
            ? error.info
            : { code: 'internal/bug', logId: deps.log.bug(error, 'draft.endless') }
        end(one, 'failed', info)
      })
      return run
    },
    /** Stops the block that is being written, and ends. Does nothing where none is being written. */
    stop(workId: string): void {
      const one = live.get(workId)
      if (one === undefined) return
      one.stop.abort()
      stopRuns(one)
    },
    /**
     * Called when the author has accepted a take: later blocks are written behind it, by a new prompt, where he accepted
     * it to its end, or to the end of what he was shown (`isWhole`).
     */
    accepted(take: Take, isWhole = false): void {
      const one = live.get(take.workId)
      if (one === undefined || take.mode !== 'generate' || take.path !== one.shown.path) return
      const writing = [one.shown.runId, ...one.writing].map((runId) => deps.runs.find(runId))
      const text = writing.find((run) => run?.takeId === take.takeId)?.text ?? take.text
      if (!isWhole && take.acceptedLength < text.length) return
      if (one.request.takes === undefined) one.isMoved = true
      else one.stop.abort()
      stopRuns(one)
    },
    /** Goes on in a chapter that was renamed, under its new path. */
    movePath(workId: string, from: string, to: string): void {
      const one = live.get(workId)
      if (one === undefined || one.request.path !== from) return
      one.request = { ...one.request, path: to }
      // In place: the run in progress still adds its fitted prompt to this draft.
      const { prepared } = one.draft
      one.draft.prepared = { ...prepared, request: { ...prepared.request, path: to } }
      tell(one, { path: to })
    },
    /** Yields the present state, and each change of it; null: no endless draft was started yet. */
    async *watch(workId: string, signal: AbortSignal) {
      const next = changes.subscribe(signal)
      yield { endless: last.get(workId) ?? null }
      for await (const change of next) if (change.workId === workId) yield { endless: change.endless }
    },
  }
}
