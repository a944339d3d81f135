/** What the app knows of its own state when it is to end. */
type ClosingState = {
  /** Writes what is not on the disk yet. */
  flush(): Promise<void>
  hasUnsavedWork(): boolean
  /** Works of the model that would be cut off. */
  runningCount(): number
}

/** `unsaved`: text cannot be written now. `running`: the model is still writing. */
export type ClosingQuestion = 'unsaved' | 'running'

export type ClosingOptions = {
  state: ClosingState
  /** True: close all the same. */
  ask(question: ClosingQuestion): Promise<boolean>
  onFlushFailed(error: unknown): void
  /** How long the last save may take before the question is asked. */
  flushTimeoutMs: number
  wait(delayMs: number): Promise<void>
}

/** Decides whether the app may end. */
export type Closing = {
  /** Shape: one decision at a time; who asks meanwhile gets the answer to the same question. */
  mayClose(): Promise<boolean>
}

/**
 * Saves first and asks only about what saving could not make safe: text that cannot be written, then a
 * continuation that would be cut off (what it wrote so far is kept as a take).
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
