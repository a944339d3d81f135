import type { Run, RunEvent } from '../src/shared/domain/drafting/run.ts'

/** A piece of work that ended by itself and whose result waits for the author. */
type Finished = { name: string }

export function followRuns(options: {
  /** Follows one run until it ends; its figures tell how far it is. */
  watch(runId: string): AsyncIterable<RunEvent>
  /** `progress`: of all runs, 0–1; null while it is unknown. */
  onChange(activity: { runningCount: number; progress: number | null }): void
  /** A run ended by itself; not called for a run that was stopped or failed. */
  onFinished(result: Finished): void
  onFailed(error: unknown): void
}) {
  /** Shape: run → its progress, 0–1; null while it is unknown. */
  const running = new Map<string, number | null>()

  function tell(): void {
    const known = [...running.values()].filter((progress) => progress !== null)
    const sum = known.reduce((total, progress) => total + progress, 0)
    options.onChange({ runningCount: running.size, progress: known.length > 0 ? sum / known.length : null })
  }

  function note(runId: string, progress: number): void {
    if (!running.has(runId)) return
    running.set(runId, progress)
    tell()
  }

  async function follow(runId: string): Promise<void> {
    for await (const event of options.watch(runId)) {
      if (event.type === 'figures' && event.figures.maxTokens > 0) {
        note(runId, Math.min(1, event.figures.completionTokens / event.figures.maxTokens))
      }
    }
  }

  return {
    /** Updates the progress in the task bar. Call it when a run starts and when it has ended. */
    update(run: Run): void {
      if (run.state === 'running') {
        if (running.has(run.runId)) return
        running.set(run.runId, null)
        follow(run.runId).catch(options.onFailed)
      } else if (!running.delete(run.runId)) return
      tell()
      if (run.state === 'finished') options.onFinished({ name: run.path })
    },
    runningCount: () => running.size,
  }
}

/** Shows on the task bar what the author cannot see while another window is in front. */
export function createLongWork(options: {
  /** True while the window has the keyboard. */
  isInFront(): boolean
  /** Units: 0–1; `unknown` moves without an end; null: none. */
  showProgress(progress: number | 'unknown' | null): void
  showBadge(count: number): void
  /** Asks for attention where the system has no badge. */
  flash(isOn: boolean): void
  notify(finished: Finished): void
}) {
  let waitingCount = 0
  let shown: number | 'unknown' | null = null

  return {
    update({ runningCount, progress }: { runningCount: number; progress: number | null }): void {
      // Whole percents are enough for a task bar, and each change costs a message to the system.
      const rounded = progress === null ? 'unknown' : Math.round(progress * 100) / 100
      const next = runningCount === 0 ? null : rounded
      if (next === shown) return
      shown = next
      options.showProgress(next)
    },
    finished(result: Finished): void {
      if (options.isInFront()) return
      waitingCount += 1
      options.showBadge(waitingCount)
      options.flash(true)
      options.notify(result)
    },
    /** Clears the badge: the author came back and has seen the results. */
    seen(): void {
      if (waitingCount === 0) return
      waitingCount = 0
      options.showBadge(0)
      options.flash(false)
    },
  }
}
