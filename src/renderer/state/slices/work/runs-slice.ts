import { delay, systemTimers } from '../../../../shared/delay.ts'
import type { IdeaTarget } from '../../../../shared/domain/drafting/draft-details.ts'
import type { TakeBranch } from '../../../../shared/domain/drafting/next-words.ts'
import type { Rewrite } from '../../../../shared/domain/drafting/rewrite.ts'
import type { EndlessDraft, Run } from '../../../../shared/domain/drafting/run.ts'
import { goesOnFrom } from '../../../../shared/domain/drafting/take.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import type { PendingEvent } from '../../../editor/editor-types.ts'
import type { AppState } from '../../app-state.ts'
import { foldRun, type RunView, viewRun } from '../../reducers/run-reducer.ts'
import { isEndUnsaid, noTextKey } from '../../reducers/run-words.ts'
import { takesAtPlace } from '../../reducers/take-reducer.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { placeToRetry } from './offer-place.ts'

/** A request for a draft. `endAt`: continue from here, UTF-16 units. `path` is empty for an idea without a chapter. */
type DraftWish = {
  path: string
  endAt?: number
  isEstimateAccepted?: boolean
  isEndless?: boolean
  takes?: number
  /** An idea in place of a continuation; `ideaOf`: the idea that one item is made again for. */
  idea?: { target: IdeaTarget; ideaOf?: string }
  branch?: TakeBranch
  /** Another wording of a selection; `of`: the first take of the same one (`placeId`). */
  rewrite?: Rewrite & { of?: string }
}

/** More than one take: without end, or this many. */
export type SeveralTakes = { isEndless?: boolean; takes?: number }

/** Returns the running runs of the open work: one, or several takes of one place. */
function runningTakes(runs: Pick<typeof initial, 'byTake'>): RunView[] {
  return Object.values(runs.byTake).filter((view) => view.run.state === 'running')
}

/** Returns the running run of the open work; of several takes the one that is offered, where it is. */
export function activeRun(runs: Pick<typeof initial, 'byTake' | 'offers'>): RunView | null {
  const running = runningTakes(runs)
  const isOffered = ({ run }: RunView) => runs.offers[run.path]?.takeId === run.takeId
  return running.find(isOffered) ?? running[0] ?? null
}

/** Returns the takes of the place where `takeId` is offered, oldest first; also one that is not stored yet. */
export function placeTakes({ runs, takes }: Pick<AppState, 'runs' | 'takes'>, takeId: string) {
  const unstored = Object.values(runs.byTake)
    .filter(({ run }) => run.mode === 'generate' && takes.list.every((take) => take.takeId !== run.takeId))
    .map(({ run }) => ({ ...run, acceptedLength: 0, createdAt: run.startedAt }))
  return takesAtPlace([...takes.list, ...unstored], takeId)
}

export function isEndless({ endless }: Pick<typeof initial, 'endless'>): boolean {
  return endless !== null && endless.end === null
}

const initial = {
  byTake: {} as Record<string, RunView>,
  /** The take that is offered at its place in a file, undecided. */
  offers: {} as Record<string, { takeId: string; wish: DraftWish }>,
  /** A start that failed before there was anything to show. */
  failure: null as { error: ErrorInfo; wish: DraftWish } | null,
  /** A run is being started; a stop meanwhile ends it. */
  isStarting: false,
  /** Endless generation of the open work, also its end until that is put away. */
  endless: null as EndlessDraft | null,
}

export function createRunsSlice(context: SliceContext) {
  const { client, get, patch, follow, editor, tell, attempt } = context
  const stops = new Map<string, () => void>()
  const waiting = new Map<string, (() => void)[]>()

  const put = (view: RunView) => {
    patch('runs', { byTake: { ...get().runs.byTake, [view.run.takeId]: view } })
    if (view.run.state === 'running') return
    for (const resolve of waiting.get(view.run.takeId) ?? []) resolve()
    waiting.delete(view.run.takeId)
  }
  const dropOffer = (takeId: string) => {
    const offers = Object.entries(get().runs.offers).filter(([, offer]) => offer.takeId !== takeId)
    patch('runs', { offers: Object.fromEntries(offers) })
  }

  const ended = (view: RunView) => {
    const { run } = view
    // The end of endless generation is said once, by its own notice.
    const isSaid = isEndless(get().runs) && get().runs.endless?.runId === run.runId
    if (run.state === 'failed' && run.text === '' && run.error) {
      const wish = get().runs.offers[run.path]?.wish ?? wishOf(run)
      dropOffer(run.takeId)
      if (!isSaid) patch('runs', { failure: { error: run.error, wish } })
    } else if (run.text === '') {
      dropOffer(run.takeId)
      if (isEndUnsaid(run, isSaid)) get().ui.toast({ key: noTextKey(run) })
    }
    get().preview.invalidate()
    if (run.mode !== 'generate') return
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
        const next = foldRun(before, event)
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

  /** Follows a block that the host began; it is shown where nothing else is offered. */
  const adopt = async (endless: EndlessDraft) => {
    const workId = get().work.current?.workId
    if (workId === undefined || endless.end !== null) return
    const { runs } = await client['run.list']({ workId })
    const written = runs.filter(({ runId }) => runId === endless.runId || endless.together?.includes(runId))
    // The one that was begun first is shown.
    const run = written.at(-1)
    if (!run || get().work.current?.workId !== workId) return
    for (const one of written) if (!get().runs.byTake[one.takeId]) watch(one)
    const { offers, byTake } = get().runs
    const shown = offers[run.path]
    const isShown = shown && (byTake[shown.takeId]?.run.state === 'running' || hasText(shown.takeId))
    if (run.mode !== 'generate' || isShown) return
    patch('runs', { offers: { ...offers, [run.path]: { takeId: run.takeId, wish: { path: run.path } } } })
  }
  const hasText = (takeId: string) =>
    (get().runs.byTake[takeId]?.run.text ?? '') !== '' ||
    get().takes.list.some((take) => take.takeId === takeId && take.text !== '')

  let stopFollowing: (() => void) | undefined
  const followEndless = (workId: string) => {
    stopFollowing?.()
    stopFollowing = follow(
      (signal) => client['draft.watchEndless']({ workId }, { signal }),
      ({ endless }) => {
        // An end before this window opened was reported to another window.
        const isNews = endless?.end === null || get().runs.endless?.end === null
        patch('runs', { endless: isNews ? endless : null })
        if (endless) adopt(endless).catch(tell)
      },
      tell,
    )
  }

  /** Asks a run to end and waits until it has, so that the next one is not refused. */
  const stopRun = async (view: RunView) => {
    const { runId, takeId } = view.run
    const ending = new Promise<void>((resolve) => {
      waiting.set(takeId, [...(waiting.get(takeId) ?? []), resolve])
    })
    await client['run.stop']({ runId })
    await Promise.race([ending, delay(systemTimers, 10_000)])
  }
  const stopRunning = async (wasEndless = isEndless(get().runs)) => {
    const running = runningTakes(get().runs)
    const workId = get().work.current?.workId
    await attempt(async () => {
      if (wasEndless && workId !== undefined) await client['draft.stopEndless']({ workId })
      await Promise.all(running.map(stopRun))
    })
  }

  /** True once the author asked to stop while a run was being started. */
  let isStopWanted = false
  /** Starts what `prepare` returns; a stop meanwhile ends it, before it has begun or right after. */
  const begin = async (
    workId: string,
    wanted: DraftWish,
    prepare: () => Promise<DraftWish>,
  ): Promise<Run | null> => {
    isStopWanted = false
    patch('runs', { isStarting: true, failure: null })
    let begun: Run | null = null
    const hasLeft = () => get().work.current?.workId !== workId
    try {
      const wish = await prepare()
      const { idea, rewrite, ...request } = wish
      const { path } = wish
      await Promise.all([get().documents.flush(path), get().work.settledDetails()])
      if (isStopWanted || hasLeft() || activeRun(get().runs)) return null
      const { run } = await client['draft.start']({
        workId,
        ...request,
        ...(idea && { mode: 'idea', ideaTarget: idea.target }),
        ...(idea?.ideaOf !== undefined && { ideaOf: idea.ideaOf }),
        ...(rewrite && { rewrite }),
      })
      if (hasLeft()) {
        // Another work is open by now, where the same path is another text. The run goes on in its own work.
        if (isStopWanted) await client['run.stop']({ runId: run.runId })
        return null
      }
      begun = run
      const before = idea || rewrite ? undefined : offered(path)
      // Watched first: an offer without its run would be none, and the place of the one before would be lost.
      watch(run)
      if (!idea && !rewrite)
        patch('runs', { offers: { ...get().runs.offers, [path]: { takeId: run.takeId, wish } } })
      if (before && before.takeId !== run.takeId) await get().takes.setAside(before.takeId)
    } catch (error) {
      fail(error, hasLeft() ? null : wanted)
    } finally {
      patch('runs', { isStarting: false })
    }
    if (begun && isStopWanted) await stopRunning(wanted.isEndless || wanted.takes !== undefined)
    return begun
  }
  const offered = (path: string | null) => {
    const offer = path === null ? undefined : get().runs.offers[path]
    return offer && { ...offer, view: get().runs.byTake[offer.takeId] ?? null }
  }
  const fail = (error: unknown, wish: DraftWish | null) => {
    const info = infoOf(error)
    if (wish === null || info.code === 'rpc/closed') return get().ui.toastError(info)
    patch('runs', { failure: { error: info, wish } })
  }

  return {
    ...initial,

    async load(workId: string) {
      for (const stop of stops.values()) stop()
      stops.clear()
      patch('runs', { byTake: {}, offers: {}, failure: null, endless: null })
      followEndless(workId)
      try {
        const { runs } = await client['run.list']({ workId })
        const { takes } = await client['take.list']({ workId, mode: 'generate', limit: 50 })
        if (get().work.current?.workId !== workId) return
        const offers: (typeof initial)['offers'] = {}
        const places = new Map<string, string>()
        const accepted = takes.filter((take) => take.acceptedLength > 0 && take.placeId !== '')
        for (const run of runs) watch(run)
        for (const take of takes.toReversed()) {
          // Only at the place of a file's newest take can an offer still be open.
          if (places.get(take.path) !== take.placeId || take.acceptedLength > 0) delete offers[take.path]
          places.set(take.path, take.placeId)
          const isOpen = take.state === 'pending' && (take.text !== '' || get().runs.byTake[take.takeId])
          // Earlier versions left takes pending where another was accepted. One with another word goes on from it.
          const isReplaced = accepted.some(
            (other) =>
              other.placeId === take.placeId && other.takeId !== take.takeId && !goesOnFrom(other, take.text),
          )
          if (isOpen && !isReplaced) offers[take.path] = { takeId: take.takeId, wish: { path: take.path } }
        }
        const isStanding = ({ path, placeId }: Run) => offers[path] && places.get(path) === placeId
        for (const run of runs) {
          if (run.state === 'running' && run.mode === 'generate' && !isStanding(run))
            offers[run.path] = { takeId: run.takeId, wish: { path: run.path } }
        }
        get().takes.merge(takes)
        // Runs that began while the lists were loaded are not in them.
        patch('runs', { offers: { ...offers, ...get().runs.offers } })
      } catch (error) {
        tell(error, 'rpc/closed')
      }
    },

    /** Returns the run that began; null where none did. */
    async start(partial: Partial<DraftWish> = {}) {
      const work = get().work.current
      const path = partial.path ?? get().documents.activePath ?? (partial.idea ? '' : null)
      if (work === null || path === null || get().runs.isStarting || activeRun(get().runs)) return null
      const wish: DraftWish = { ...partial, path }
      return begin(work.workId, wish, async () => wish)
    },

    async stop() {
      if (get().runs.isStarting) isStopWanted = true
      await stopRunning()
    },

    /** Ends one of several takes that are written at the same time. */
    async stopOne(takeId: string) {
      const view = get().runs.byTake[takeId]
      if (view?.run.state !== 'running') return
      await attempt(() => client['run.stop']({ runId: view.run.runId }))
    },

    /** Writes another take of the offered one's place; a continuation where none is offered. */
    async retry(options: SeveralTakes = {}) {
      const path = get().documents.activePath
      const offer = offered(path)
      const work = get().work.current
      if (!work || !path || !offer) return void (await get().runs.start(options))
      if (get().runs.isStarting) return
      const { endAt, isEndless: _, takes: __, branch: ___, ...same } = offer.wish
      const wish: DraftWish = { ...same, ...options }
      await begin(work.workId, wish, async () => {
        await stopRunning()
        const place = await placeToRetry(context, { path, takeId: offer.takeId, endAt })
        return place === undefined ? wish : { ...wish, endAt: place }
      })
    },

    /** Shows another take of the offered one's place; false where there is none. */
    swap(step: -1 | 1) {
      const path = get().documents.activePath
      const offer = offered(path)
      if (!offer || path === null) return false
      const { takeId } = offer
      const places = placeTakes(get(), takeId)
      const next = places[places.findIndex((take) => take.takeId === takeId) + step]
      if (!next) return false
      const { wish } = offer
      patch('runs', { offers: { ...get().runs.offers, [path]: { takeId: next.takeId, wish } } })
      return true
    },

    /** Shows the next take of the offered one's place; past the last one, writes a new one. */
    nextOrNew() {
      if (!get().runs.swap(1)) void get().runs.retry()
    },

    /** Handles Esc: first stops the run, then puts the offer aside. Returns false where there was neither. */
    stepBack() {
      const offer = offered(get().documents.activePath)
      if (activeRun(get().runs) || isEndless(get().runs) || get().runs.isStarting) {
        void get().runs.stop()
        return true
      }
      if (!offer) return false
      dropOffer(offer.takeId)
      void get().takes.dismiss(offer.takeId)
      return true
    },

    async decided(event: Exclude<PendingEvent, { kind: 'hover' | 'unhover' }>) {
      const view = get().runs.byTake[event.id]
      switch (event.kind) {
        case 'accepted':
          if (event.isWhole) dropOffer(event.id)
          // Generation without end goes on behind the accepted text; any other run of this place ends.
          if (isEndless(get().runs) && get().runs.endless?.total === undefined)
            await editor.current?.flush(event.key).catch(() => undefined)
          else if (event.isWhole && view && activeRun(get().runs)?.run.placeId === view.run.placeId)
            void get().runs.stop()
          return get().takes.accepted(event.id, event.acceptedLength, event.isWhole)
        case 'stop':
          return get().runs.stop()
        case 'dismissed':
          dropOffer(event.id)
          return get().takes.dismiss(event.id)
        case 'retry':
          return get().runs.retry()
        case 'swap':
          return void get().runs.swap(event.step)
        case 'words':
          return get().words.open(event.id, event.at)
      }
    },

    closeEndless: () => patch('runs', { endless: null }),
    closeFailure: () => patch('runs', { failure: null }),
  }
}

/** Returns the wish of a run that another window, or an earlier page, has started. */
function wishOf({ path, mode, ideaTarget, placeId, takeId, rewrite }: Run): DraftWish {
  if (rewrite) return { path, rewrite: { ...rewrite, of: placeId } }
  if (mode === 'generate') return { path }
  return { path, idea: { target: ideaTarget, ...(placeId === takeId ? {} : { ideaOf: placeId }) } }
}
