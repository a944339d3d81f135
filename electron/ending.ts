import type { App, BrowserWindow } from 'electron'

/** `unsaved`: text cannot be written now. `running`: the model is still writing. */
export type ClosingQuestion = 'unsaved' | 'running'

/**
 * Saves first, then asks only about losses that saving cannot prevent: text that cannot be written, then a continuation
 * that would be cut off (its text so far is kept as a take).
 */
export function createClosing(options: {
  state: {
    /** Writes text that is not on the disk yet. */
    flush(): Promise<void>
    hasUnsavedWork(): boolean
    /** Number of the model's runs that closing would cut off. */
    runningCount(): number
  }
  /** Asks the user; true: close anyway. */
  ask(question: ClosingQuestion): Promise<boolean>
  onFlushFailed(error: unknown): void
  /** Longest time that the last save may take before the user is asked. Units: milliseconds. */
  flushTimeoutMs: number
  wait(delayMs: number): Promise<void>
}) {
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
    /** Shape: one decision at a time; callers that ask meanwhile share its answer. */
    mayClose(): Promise<boolean> {
      pending ??= decide().finally(() => {
        pending = undefined
      })
      return pending
    },
  }
}

/**
 * Ends the app, whether the window's own button, the menu or the system asks for it.
 *
 * Shape: nothing closes before the last save; then services end, then the process. On macOS closing the
 * window leaves the app running, as people there expect.
 */
export function arrangeEnding(options: {
  app: Pick<App, 'on' | 'quit'>
  platform: NodeJS.Platform
  closing: ReturnType<typeof createClosing>
  window(): BrowserWindow | undefined
  /** Ends services, as the last step. */
  closeServices(): Promise<void>
  /** Ends the process after a delay, even where something hangs. */
  forceEnd(): void
  onFailed(error: unknown): void
}) {
  const { app, closing } = options
  let isDone = false
  let mayWindowClose = false

  async function end(): Promise<void> {
    if (!(await closing.mayClose())) return
    isDone = true
    options.forceEnd()
    try {
      await options.closeServices()
    } catch (error) {
      options.onFailed(error)
    }
    app.quit()
  }

  async function closeWindow(): Promise<void> {
    if (!(await closing.mayClose())) return
    mayWindowClose = true
    options.window()?.close()
    mayWindowClose = false
  }

  app.on('before-quit', (event) => {
    if (isDone) return
    event.preventDefault()
    end().catch(options.onFailed)
  })
  app.on('window-all-closed', () => {
    if (options.platform !== 'darwin') app.quit()
  })

  return {
    /** Answers a signal of the system and forces the end: there may be no user to answer a question. */
    onSignal() {
      options.forceEnd()
      app.quit()
    },
    /**
     * Answers a log-off of Windows: false until everything is saved; the app then quits by itself.
     *
     * Shape: never true at the first call, since a page holds what was typed in the last moment.
     */
    onSessionEnd(): boolean {
      if (!isDone) end().catch(options.onFailed)
      return isDone
    },
    /** Answers a window that is about to close: false keeps it open while the question is settled. */
    onWindowClose(): boolean {
      if (isDone || mayWindowClose) return true
      const settle = options.platform === 'darwin' ? closeWindow : end
      settle().catch(options.onFailed)
      return false
    },
  }
}
