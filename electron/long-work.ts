/** Runs of all works at this moment. */
export type Activity = {
  runningCount: number
  /** Progress of the runs, 0–1; null while it is unknown. */
  progress: number | null
}

/** A piece of work that ended by itself and whose result waits for the author. */
export type Finished = { name: string }

export type LongWorkOptions = {
  /** True while the window has the keyboard. */
  isInFront(): boolean
  /** Units: 0–1; `unknown` moves without an end; null: none. */
  showProgress(progress: number | 'unknown' | null): void
  showBadge(count: number): void
  /** Asks for attention where the system has no badge. */
  flash(isOn: boolean): void
  notify(finished: Finished): void
}

/** Shows on the task bar what the author cannot see while another window is in front. */
export type LongWork = {
  update(activity: Activity): void
  finished(result: Finished): void
  /** Clears the badge: the author came back and has seen the results. */
  seen(): void
}

export function createLongWork(options: LongWorkOptions): LongWork {
  let waitingCount = 0
  let shown: number | 'unknown' | null = null

  return {
    update({ runningCount, progress }) {
      // Whole percents are enough for a task bar, and each change costs a message to the system.
      const rounded = progress === null ? 'unknown' : Math.round(progress * 100) / 100
      const next = runningCount === 0 ? null : rounded
      if (next === shown) return
      shown = next
      options.showProgress(next)
    },
    finished(result) {
      if (options.isInFront()) return
      waitingCount += 1
      options.showBadge(waitingCount)
      options.flash(true)
      options.notify(result)
    },
    seen() {
      if (waitingCount === 0) return
      waitingCount = 0
      options.showBadge(0)
      options.flash(false)
    },
  }
}
