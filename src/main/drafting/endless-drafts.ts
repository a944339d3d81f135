import { type EndlessDraft, type EndlessEnd, mostBlocks } from '../../shared/domain/drafting/endless-draft.ts'
import type { Run } from '../../shared/domain/drafting/run.ts'
import type { Take } from '../../shared/domain/drafting/take.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import type { Clock, Log } from '../deps.ts'
import { type Broadcast, createBroadcast } from '../platform/broadcast.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { DraftDeps, DraftService, DraftStart, SentDraft } from './draft-service.ts'
import type { PendingPlaces } from './pending-places.ts'

/** Between two blocks. Source: the public implementation. */
const pauseMs = 500

/**
 * Generates one block after another until it is stopped, or as many as were asked for. It belongs to the host: a
 * window's end does not end it.
 */
export type EndlessDrafts = {
  /** Begins with a first block. Errors: as `DraftService.start`. */
  start(request: DraftStart, signal: AbortSignal): Promise<Run>
  /** Ends with the block that is being written; nothing happens where none goes on. */
  stop(workId: string): void
  /** The author took a take to its end: what follows is written behind it, by a new prompt. */
  accepted(take: Take): void
  /** The state now, and each change of it; null: nothing was endless yet. */
  watch(workId: string, signal: AbortSignal): AsyncGenerator<{ endless: EndlessDraft | null }, void, void>
}

export type EndlessDeps = {
  clock: Clock
  log: Log
  drafts: Pick<DraftService, 'begin'>
  works: Pick<DraftDeps['works'], 'follow'>
  settings: DraftDeps['settings']
  runs: Pick<RunRegistry, 'stop' | 'onChange' | 'find'>
  places: PendingPlaces
}

type LiveEndless = {
  request: DraftStart
  shown: EndlessDraft
  draft: SentDraft
  stop: AbortController
  isMoved: boolean
}

export function createEndlessDrafts(deps: EndlessDeps): EndlessDrafts {
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

  /** Where *continue from here* stands by now. */
  const placeKey = (workId: string): string => `endless ${workId}`

  function end(one: LiveEndless, reason: EndlessEnd, error: ErrorInfo | null = null): void {
    live.delete(one.request.workId)
    deps.places.drop(placeKey(one.request.workId))
    tell(one, { end: reason, error })
  }

  function ended(runId: string): Promise<Run> {
    const run = deps.runs.find(runId)
    if (run !== undefined && run.state !== 'running') return Promise.resolve(run)
    return new Promise((resolve) => waiting.set(runId, resolve))
  }

  function pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = deps.clock.setTimeout(resolve, pauseMs)
      signal.addEventListener('abort', () => {
        timer.cancel()
        resolve()
      })
    })
  }

  /** The next block's start: with the first prompt again where the author wants that and the place is the same. */
  function nextStart({ request, draft, isMoved }: LiveEndless): DraftStart {
    const { endlessGenerate, endlessIdea } = deps.settings().drafting
    const choice = request.mode === 'idea' ? endlessIdea : endlessGenerate
    const isFrozen = (choice === 'manual' || request.takes !== undefined) && !isMoved
    const { seed: _, ...again } = request
    const endAt = deps.places.positionOf(placeKey(request.workId))
    const isHere = request.endAt !== undefined || isFrozen
    return {
      ...again,
      ...(isHere && endAt !== undefined ? { endAt } : {}),
      ...(isFrozen && draft.fitted !== undefined ? { draft } : {}),
    }
  }

  /** Why no other block follows this one; null: one does. */
  function reasonToEnd(one: LiveEndless, run: Run): EndlessEnd | null {
    if (one.stop.signal.aborted) return 'stopped'
    if (one.isMoved) return null
    if (run.state === 'failed') return 'failed'
    if (run.state !== 'finished') return 'stopped'
    if (run.text === '') return 'empty'
    if (one.shown.block === one.request.takes) return 'complete'
    return one.shown.block >= mostBlocks ? 'limit' : null
  }

  async function goOn(one: LiveEndless): Promise<void> {
    const { signal } = one.stop
    for (;;) {
      const run = await ended(one.shown.runId)
      const reason = reasonToEnd(one, run)
      if (reason !== null) return end(one, reason, run.error)
      await pause(signal)
      if (signal.aborted) return end(one, 'stopped')
      const start = nextStart(one)
      const block = one.isMoved ? 1 : one.shown.block + 1
      one.isMoved = false
      const next = await deps.drafts.begin(start, signal)
      one.draft = next.draft
      tell(one, { block, runId: next.run.runId, placeId: next.run.placeId })
      // Something of the place was taken, or all was stopped, while this block was being prepared.
      if (signal.aborted || one.isMoved) deps.runs.stop(next.run.runId)
    }
  }

  return {
    async start(request, signal) {
      if (live.has(request.workId)) throw new AppError({ code: 'run/busy' })
      const { run, draft } = await deps.drafts.begin(request, signal)
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
      const one: LiveEndless = { request, shown, draft, stop: new AbortController(), isMoved: false }
      live.set(workId, one)
      if (mode === 'generate') {
        deps.places.follow(placeKey(workId), run.position, (stop) => deps.works.follow(workId, path, stop))
      }
      tell(one, {})
      goOn(one).catch((error: unknown) => {
        if (one.stop.signal.aborted) return end(one, 'stopped')
        const info: ErrorInfo =
          error instanceof AppError
            ? error.info
            : { code: 'internal/bug', logId: deps.log.bug(error, 'draft.endless') }
        end(one, 'failed', info)
      })
      return run
    },
    stop(workId) {
      const one = live.get(workId)
      if (one === undefined) return
      one.stop.abort()
      deps.runs.stop(one.shown.runId)
    },
    accepted(take) {
      const one = live.get(take.workId)
      if (one === undefined || take.mode !== 'generate' || take.path !== one.shown.path) return
      const run = deps.runs.find(one.shown.runId)
      const text = run?.takeId === take.takeId ? run.text : take.text
      if (take.acceptedLength < text.length) return
      if (one.request.takes === undefined) one.isMoved = true
      else one.stop.abort()
      deps.runs.stop(one.shown.runId)
    },
    async *watch(workId, signal) {
      const next = changes.subscribe(signal)
      yield { endless: last.get(workId) ?? null }
      for await (const change of next) if (change.workId === workId) yield { endless: change.endless }
    },
  }
}
