import type { App, BrowserWindow } from 'electron'
import type { Closing } from './closing.ts'

export type EndingOptions = {
  app: Pick<App, 'on' | 'quit'>
  platform: NodeJS.Platform
  closing: Closing
  window(): BrowserWindow | undefined
  /** Ends services, as the last step. */
  closeServices(): Promise<void>
  /** Ends the process after a delay, even where something hangs. */
  forceEnd(): void
  onFailed(error: unknown): void
}

/** The end of the app, whether the window's own button, the menu or the system asks for it. */
export type Ending = {
  /** Answers a window that is about to close: false keeps it open while the question is settled. */
  onWindowClose(): boolean
  /**
   * Answers a log-off of Windows: false until everything is saved; the app then quits by itself.
   *
   * Shape: never true at the first call, since a page holds what was typed in the last moment.
   */
  onSessionEnd(): boolean
  /** Answers a signal of the system and forces the end: there may be no user to answer a question. */
  onSignal(): void
}

/**
 * Shape: nothing closes before the last save; then services end, then the process. On macOS closing the
 * window leaves the app running, as people there expect.
 */
export function arrangeEnding(options: EndingOptions): Ending {
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
    onSignal() {
      options.forceEnd()
      app.quit()
    },
    onSessionEnd() {
      if (!isDone) end().catch(options.onFailed)
      return isDone
    },
    onWindowClose() {
      if (isDone || mayWindowClose) return true
      const settle = options.platform === 'darwin' ? closeWindow : end
      settle().catch(options.onFailed)
      return false
    },
  }
}
