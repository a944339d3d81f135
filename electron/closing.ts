/** State of the app that decides whether it may close. */
type ClosingState = {
  /** Writes text that is not on the disk yet. */
  flush(): Promise<void>
  hasUnsavedWork(): boolean
  /** Number of the model's runs that closing would cut off. */
  runningCount(): number
}

/** `unsaved`: text cannot be written now. `running`: the model is still writing. */
export type ClosingQuestion = 'unsaved' | 'running'

export type ClosingOptions = {
  state: ClosingState
  /** Asks the user; true: close anyway. */
  ask(question: ClosingQuestion): Promise<boolean>
  onFlushFailed(error: unknown): void
  /** Longest time that the last save may take before the user is asked. Units: milliseconds. */
  flushTimeoutMs: number
  wait(delayMs: number): Promise<void>
}

/** Decides whether the app may end. */
export type Closing = {
  /** Shape: one decision at a time; callers that ask meanwhile share its answer. */
  mayClose(): Promise<boolean>
}

/**
 * Saves first, then asks only about losses that saving cannot prevent: text that cannot be written, then a continuation
 * that would be cut off (its text so far is kept as a take).
 */
export function createClosing(options: ClosingOptions): Closing {
  const { state } = options
  let pending: Promise<boolean> | undefined

  async function save(): Promise<void> {
    try {
      await Promise.race([state.flush(), options.wait(options.flushTimeoutMs)])
    } catch (error) {
      options.onFlushFailed(error)
    }
  }

  async function decide(): Promise<boolean> {
    await save()
    if (state.hasUnsavedWork()) return options.ask('unsaved')
    if (state.runningCount() > 0 && !(await options.ask('running'))) return false
    // The author may have typed while the question was open.
    await save()
    return !state.hasUnsavedWork() || options.ask('unsaved')
  }

  return {
    mayClose() {
      pending ??= decide().finally(() => {
        pending = undefined
      })
      return pending
    },
  }
}
