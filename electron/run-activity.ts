import type { Run, RunEvent } from '../src/shared/domain/drafting/run.ts'
import type { Activity, Finished } from './long-work.ts'

export type RunActivityOptions = {
  /** Follows one run until it ends; its figures tell how far it is. */
  watch(runId: string): AsyncIterable<RunEvent>
  onChange(activity: Activity): void
  /** A run ended by itself; not called for a run that was stopped or failed. */
  onFinished(result: Finished): void
  onFailed(error: unknown): void
}

/** The activity of all runs together. */
export type RunActivity = {
  /** To be called when a run starts and when it has ended. */
  update(run: Run): void
  runningCount(): number
}

export function followRuns(options: RunActivityOptions): RunActivity {
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
    update(run) {
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
