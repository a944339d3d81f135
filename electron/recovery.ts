import type { RenderProcessGoneDetails, WebContents } from 'electron'

export type RecoveryOptions = {
  webContents: Pick<WebContents, 'on' | 'reload' | 'forcefullyCrashRenderer' | 'isDestroyed'>
  now(): number
  /** The page ended again and again. True: load it once more; false: close. */
  askAfterCrashes(): Promise<boolean>
  /** The page does not answer. True: load it anew; false: go on waiting. The signal withdraws the question. */
  askWhileHanging(signal: AbortSignal): Promise<boolean>
  giveUp(): void
  onGone(details: RenderProcessGoneDetails): void
  /** A question could not be asked. */
  onFailed(error: unknown): void
}

const limitCrashes = 3
const crashWindowMs = 60_000

/**
 * Brings the page back when its process ended or hangs. Text and runs live in main, so that a page that is
 * loaded anew shows everything as it was.
 */
export function keepPageAlive(options: RecoveryOptions): void {
  const { webContents } = options
  let crashes: number[] = []
  let question: AbortController | undefined

  async function comeBack(details: RenderProcessGoneDetails): Promise<void> {
    question?.abort()
    if (details.reason === 'clean-exit' || webContents.isDestroyed()) return
    options.onGone(details)
    const now = options.now()
    crashes = [...crashes.filter((at) => now - at < crashWindowMs), now]
    if (crashes.length >= limitCrashes) {
      crashes = []
      if (!(await options.askAfterCrashes())) return options.giveUp()
    }
    if (!webContents.isDestroyed()) webContents.reload()
  }

  async function askToWait(): Promise<void> {
    if (question !== undefined) return
    const asking = new AbortController()
    question = asking
    try {
      const wantsReload = await options.askWhileHanging(asking.signal)
      // A page that hangs cannot be reloaded; its process is ended, and then it is loaded anew.
      if (wantsReload && !asking.signal.aborted) webContents.forcefullyCrashRenderer()
    } finally {
      question = undefined
    }
  }

  webContents.on('render-process-gone', (_event, details) => {
    comeBack(details).catch(options.onFailed)
  })
  webContents.on('unresponsive', () => {
    askToWait().catch(options.onFailed)
  })
  webContents.on('responsive', () => question?.abort())
}
