import type {
  PhaseHint,
  Run,
  RunEvent,
  RunFigures,
  RunPhase,
  RunState,
} from '../../shared/domain/drafting/run.ts'
import type { TakeEnd } from '../../shared/domain/drafting/take.ts'
import type { WordSpan } from '../../shared/domain/drafting/word-span.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import type { Clock, Log } from '../deps.ts'
import { createEventLog, type EventLog } from '../platform/broadcast.ts'

/** Number of events that are kept for a reconnecting window; one that is further behind gets a snapshot. */
const rememberedEvents = 1000
/** Number of ended runs that can still be watched, so that a window learns how its run ended. */
const rememberedRuns = 20

/** Reports the progress of a run; each call becomes a numbered event. */
export type RunReporter = ReturnType<typeof reporter>

/**
 * Does the work of a run and returns how it ended. The text so far is kept in any case.
 *
 * Errors: an `AppError` fails the run with its info; anything else is a bug.
 */
type RunWork = (report: RunReporter, signal: AbortSignal) => Promise<'finished' | 'stopped'>

/** All runs of this host. A run belongs to the host and continues when windows open or close. */
export type RunRegistry = ReturnType<typeof createRunRegistry>

type LiveRun = {
  run: Run
  events: EventLog<RunEvent>
  stop: AbortController
  ended: Promise<void>
}

export function createRunRegistry(deps: { clock: Clock; log: Log }) {
  const runs = new Map<string, LiveRun>()
  const listeners: ((run: Run) => void)[] = []

  function need(runId: string): LiveRun {
    const live = runs.get(runId)
    if (!live) throw new AppError({ code: 'run/not-found', runId })
    return live
  }

  function end(live: LiveRun, state: RunState, error: ErrorInfo | null): void {
    live.run = { ...live.run, state, error }
    const { stopReason } = live.run
    live.events.send({ type: 'ended', state, error, ...(stopReason && { stopReason }) })
    live.events.end()
    forgetOldest()
    for (const listener of listeners) listener(live.run)
  }

  function forgetOldest(): void {
    const ended = [...runs.values()].filter((live) => live.run.state !== 'running')
    for (const live of ended.slice(0, Math.max(0, ended.length - rememberedRuns))) runs.delete(live.run.runId)
  }

  async function perform(live: LiveRun, work: RunWork): Promise<void> {
    try {
      const outcome = await work(reporter(live, deps.clock), live.stop.signal)
      end(live, outcome, null)
    } catch (error) {
      const info: ErrorInfo =
        error instanceof AppError
          ? error.info
          : { code: 'internal/bug', logId: deps.log.bug(error, `run ${live.run.kind}`) }
      end(live, 'failed', info)
    }
  }

  return {
    start(run: Run, work: RunWork): Run {
      const live: LiveRun = {
        run,
        events: createEventLog({ first: 0, remembered: { events: rememberedEvents } }),
        stop: new AbortController(),
        ended: Promise.resolve(),
      }
      runs.set(run.runId, live)
      for (const listener of listeners) listener(run)
      live.ended = perform(live, work)
      return live.run
    },
    /** Returns the running runs and those that ended last, newest first. */
    list: (workId: string): Run[] =>
      [...runs.values()]
        .map((live) => live.run)
        .filter((run) => run.workId === workId)
        .reverse(),
    find: (runId: string): Run | undefined => runs.get(runId)?.run,
    /** Gives the runs of a file that was renamed its new path. */
    movePath(workId: string, from: string, to: string): void {
      for (const live of runs.values()) {
        if (live.run.workId === workId && live.run.path === from) live.run = { ...live.run, path: to }
      }
    },
    /** Errors: `run/not-found`. */
    watch(
      runId: string,
      afterSeq: number | undefined,
      signal: AbortSignal,
    ): AsyncGenerator<RunEvent, void, void> {
      const live = need(runId)
      const snapshot = (): RunEvent => ({ type: 'snapshot', seq: live.events.seq, run: live.run })
      return live.events.watch(afterSeq, snapshot, signal)
    },
    /** Errors: `run/not-found`. A run that has ended stays as it is. */
    stop(runId: string): void {
      need(runId).stop.abort()
    },
    isBusy: (): boolean => [...runs.values()].some((live) => live.run.state === 'running'),
    /** Called when a run starts and when it has ended, for the desktop's progress and notifications. */
    onChange(listener: (run: Run) => void): void {
      listeners.push(listener)
    },
    /** Stops every run and waits for its end. */
    async close(): Promise<void> {
      for (const live of runs.values()) live.stop.abort()
      await Promise.all([...runs.values()].map((live) => live.ended))
    },
  }
}

function reporter(live: LiveRun, clock: Clock) {
  return {
    get run(): Run {
      return live.run
    },
    phase(phase: RunPhase, progress: number | null, hint?: PhaseHint): void {
      const { hint: _, ...run } = live.run
      live.run = { ...run, phase, ...(hint && { hint }) }
      live.events.send({ type: 'phase', phase, progress, ...(hint && { hint }) })
    },
    text(text: string): void {
      if (text === '') return
      live.run = { ...live.run, text: live.run.text + text }
      live.events.send({ type: 'text', text })
    },
    /** Replaces the whole text so far by a corrected one. */
    replace(text: string): void {
      live.run = { ...live.run, text }
      live.events.send({ type: 'replace', text })
    },
    /** Words of the whole text that the model held unlikely. */
    uncertain(words: WordSpan[]): void {
      live.run = { ...live.run, uncertain: words }
      live.events.send({ type: 'uncertain', words })
    },
    figures(figures: Partial<RunFigures>): void {
      const elapsedMs = clock.now() - live.run.startedAt
      live.run = { ...live.run, figures: { ...live.run.figures, elapsedMs, ...figures } }
      live.events.send({ type: 'figures', figures: live.run.figures })
    },
    /** Notes why the text ends; windows are told with the end of the run. */
    stopReason(reason: TakeEnd): void {
      live.run = { ...live.run, stopReason: reason }
    },
    /** Reports the position of the continuation, and the text that joins it to the text before. */
    placed(position: number, lead: string): void {
      live.run = { ...live.run, position, lead }
      live.events.send({ type: 'placed', position, lead })
    },
  }
}
