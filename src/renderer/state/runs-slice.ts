import type { Run } from '../../shared/domain/run.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { PendingEvent } from '../editor/editor-types.ts'
import { infoOf } from './follow.ts'
import { foldRun, type RunView, readSpeed, viewRun } from './run-reducer.ts'
import type { SliceContext } from './slice.ts'

/** What was asked for. `endAt`: continue from here, UTF-16 units. */
export type DraftWish = { path: string; endAt?: number; isEstimateAccepted?: boolean }

export type RunsSlice = {
  /** Runs of the open work by their take. */
  byTake: Record<string, RunView>
  /** The take that is offered at its place in a file, undecided. */
  offers: Record<string, { takeId: string; wish: DraftWish }>
  /** A start that failed before there was anything to show. */
  failure: { error: ErrorInfo; wish: DraftWish } | null
  isStarting: boolean
  /** Units: tokens per second, by model name. */
  readSpeeds: Record<string, number>
  load(workId: string): Promise<void>
  start(wish?: Partial<DraftWish>): Promise<void>
  stop(): Promise<void>
  retry(): Promise<void>
  /** Esc: first stops, then puts the offer aside. False where there was neither. */
  stepBack(): boolean
  decided(event: PendingEvent): Promise<void>
  closeFailure(): void
}

/** The run that is under way in the open work; a work has one at a time. */
export function activeRun(runs: Pick<RunsSlice, 'byTake'>): RunView | null {
  return Object.values(runs.byTake).find((view) => view.run.state === 'running') ?? null
}

export function createRunsSlice(context: SliceContext): RunsSlice {
  const { client, get, patch, follow, now } = context
  const stops = new Map<string, () => void>()
  const waiting = new Map<string, () => void>()

  const put = (view: RunView) => {
    patch('runs', { byTake: { ...get().runs.byTake, [view.run.takeId]: view } })
    if (view.run.state === 'running') return
    waiting.get(view.run.takeId)?.()
    waiting.delete(view.run.takeId)
    const speed = readSpeed(view)
    if (speed !== null) {
      patch('runs', { readSpeeds: { ...get().runs.readSpeeds, [view.run.modelName]: speed } })
    }
  }
  const dropOffer = (takeId: string) => {
    const offers = Object.entries(get().runs.offers).filter(([, offer]) => offer.takeId !== takeId)
    patch('runs', { offers: Object.fromEntries(offers) })
  }

  const ended = (view: RunView) => {
    const { run } = view
    if (run.state === 'failed' && run.text === '' && run.error) {
      const wish = get().runs.offers[run.path]?.wish ?? { path: run.path }
      dropOffer(run.takeId)
      patch('runs', { failure: { error: run.error, wish } })
    } else if (run.text === '') {
      dropOffer(run.takeId)
      if (run.state === 'finished') get().ui.toast({ key: 'toast.nothingWritten' })
    }
    get().preview.invalidate()
    const { preview } = get()
    void preview.warnOnce().then(() => preview.noteRun(run))
  }

  const watch = (run: Run) => {
    put(get().runs.byTake[run.takeId] ?? viewRun(run))
    stops.get(run.takeId)?.()
    const current = () => get().runs.byTake[run.takeId] ?? viewRun(run)
    const stop = follow(
      (signal) => {
        const { seq } = current()
        return client['run.watch']({ runId: run.runId, ...(seq > 0 ? { afterSeq: seq } : {}) }, { signal })
      },
      (event) => {
        const before = current()
        const next = foldRun(before, event, now())
        put(next)
        if (before.run.state === 'running' && next.run.state !== 'running') ended(next)
      },
      (error) => {
        const view = current()
        put({ ...view, run: { ...view.run, state: 'interrupted', error: infoOf(error) } })
      },
    )
    stops.set(run.takeId, stop)
  }

  /** Asks a run to end and waits until it has, so that the next one is not refused. */
  const stopRun = async (view: RunView) => {
    const { runId, takeId } = view.run
    const ending = new Promise<void>((resolve) => waiting.set(takeId, resolve))
    await client['run.stop']({ runId })
    await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, 10_000))])
  }
  const offered = (path: string | null) => {
    const offer = path === null ? undefined : get().runs.offers[path]
    return offer && { ...offer, view: get().runs.byTake[offer.takeId] ?? null }
  }
  const fail = (error: unknown, wish: DraftWish) => {
    const info = infoOf(error)
    if (info.code === 'rpc/closed') return get().ui.toastError(info)
    patch('runs', { failure: { error: info, wish } })
  }

  return {
    byTake: {},
    offers: {},
    failure: null,
    isStarting: false,
    readSpeeds: {},

    async load(workId) {
      for (const stop of stops.values()) stop()
      stops.clear()
      patch('runs', { byTake: {}, offers: {}, failure: null })
      try {
        const { runs } = await client['run.list']({ workId })
        const { takes } = await client['take.list']({ workId, limit: 50 })
        if (get().work.current?.workId !== workId) return
        const offers: RunsSlice['offers'] = {}
        for (const run of runs) watch(run)
        for (const take of takes.toReversed()) {
          // Only the newest take of a file can still be standing at its place.
          delete offers[take.path]
          const isOpen = take.state === 'pending' && (take.text !== '' || get().runs.byTake[take.takeId])
          if (isOpen) offers[take.path] = { takeId: take.takeId, wish: { path: take.path } }
        }
        for (const run of runs) {
          if (run.state === 'running') offers[run.path] = { takeId: run.takeId, wish: { path: run.path } }
        }
        get().takes.merge(takes)
        patch('runs', { offers })
      } catch (error) {
        if (infoOf(error).code !== 'rpc/closed') get().ui.toastError(infoOf(error))
      }
    },

    async start(partial = {}) {
      const work = get().work.current
      const path = partial.path ?? get().documents.activePath
      if (work === null || path === null || get().runs.isStarting || activeRun(get().runs)) return
      const wish: DraftWish = { ...partial, path }
      patch('runs', { isStarting: true, failure: null })
      try {
        await get().documents.flush(path)
        const { run } = await client['draft.start']({ workId: work.workId, ...wish })
        const before = offered(path)
        if (before && before.takeId !== run.takeId) await get().takes.setAside(before.takeId)
        patch('runs', { offers: { ...get().runs.offers, [path]: { takeId: run.takeId, wish } } })
        watch(run)
      } catch (error) {
        fail(error, wish)
      } finally {
        patch('runs', { isStarting: false })
      }
    },

    async stop() {
      const view = activeRun(get().runs)
      if (view === null) return
      try {
        await stopRun(view)
      } catch (error) {
        get().ui.toastError(infoOf(error))
      }
    },

    async retry() {
      const path = get().documents.activePath
      const offer = offered(path)
      const work = get().work.current
      if (!work || !path || !offer) return get().runs.start()
      try {
        const running = activeRun(get().runs)
        if (running) await stopRun(running)
        const { endAt, ...wish } = offer.wish
        if (endAt === undefined) return await get().runs.start(wish)
        // Main knows the place by what it has been sent.
        await get().documents.flush(path)
        const { runs } = await client['run.list']({ workId: work.workId })
        const place = runs.find((run) => run.takeId === offer.takeId)?.position ?? endAt
        await get().runs.start({ ...wish, endAt: place })
      } catch (error) {
        fail(error, offer.wish)
      }
    },

    stepBack() {
      const offer = offered(get().documents.activePath)
      if (activeRun(get().runs)) {
        void get().runs.stop()
        return true
      }
      if (!offer) return false
      dropOffer(offer.takeId)
      void get().takes.setAside(offer.takeId)
      return true
    },

    async decided(event) {
      const view = get().runs.byTake[event.id]
      switch (event.kind) {
        case 'accepted':
          if (event.isWhole) dropOffer(event.id)
          if (event.wasRunning && event.isWhole && view) void get().runs.stop()
          return get().takes.accepted(event.id, event.acceptedLength)
        case 'stop':
          return get().runs.stop()
        case 'dismissed':
          dropOffer(event.id)
          return get().takes.setAside(event.id)
        case 'retry':
          return get().runs.retry()
      }
    },

    closeFailure: () => patch('runs', { failure: null }),
  }
}
