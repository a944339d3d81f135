import type { BrowserWindow, Menu, RenderProcessGoneDetails, Screen, WebContents } from 'electron'
import type { Clock, Log } from '../src/main/deps.ts'
import type { Translate } from '../src/shared/i18n/translate.ts'
import { appPage, guardPage } from './app-page.ts'
import { contextMenuTemplate } from './menu.ts'
import type { Questions } from './questions.ts'
import { rememberWindow, type WindowMemory, windowOptions } from './window.ts'

type PageWindowOptions = {
  BrowserWindow: typeof BrowserWindow
  Menu: Pick<typeof Menu, 'buildFromTemplate'>
  screen: Pick<Screen, 'getPrimaryDisplay' | 'getAllDisplays'>
  preload: string
  memory: WindowMemory
  questions: Questions
  clock: Clock
  log: Log
  t(): Translate
  isDark(): boolean
  openOutside(address: string): void
  onFocus(): void
  onTitle(): void
  /** Windows is about to log off or shut down, which emits no `before-quit`. False: it must wait for the last save. */
  onSessionEnd(): boolean
  /** The window is to close. False: it stays for now. */
  onClose(): boolean
  onGaveUp(): void
}

/** A window is shown after this time even if its page never says that it is ready. Units: milliseconds. */
const shownAfterMs = 5_000

/** Opens the window on the app's own page, guarded, remembered and brought back when its page ends. */
export function openPageWindow(options: PageWindowOptions): BrowserWindow {
  const { memory, questions, log } = options
  const state = memory.read()
  const window = new options.BrowserWindow(
    windowOptions({ state, screen: options.screen, preload: options.preload, isDark: options.isDark() }),
  )
  const { webContents } = window

  guardPage(webContents, options.openOutside)
  keepPageAlive({
    webContents,
    now: options.clock.now,
    askAfterCrashes: questions.loadAgainAfterCrashes,
    askWhileHanging: questions.loadAgainWhileHanging,
    giveUp: options.onGaveUp,
    onFailed: (error) => log.bug(error, 'window.recovery'),
    onGone: ({ reason, exitCode }) => log.write('error', 'window.page-gone', { reason, exitCode }),
  })
  rememberWindow(window, memory, options.clock, (error) => log.bug(error, 'window.remember'))
  webContents.on('context-menu', (_event, params) => {
    const template = contextMenuTemplate(params, options.t(), {
      replace: (word) => webContents.replaceMisspelling(word),
      learn: (word) => void webContents.session.addWordToSpellCheckerDictionary(word),
    })
    if (template.length > 0) options.Menu.buildFromTemplate(template).popup({ window })
  })

  const late = options.clock.setTimeout(show, shownAfterMs)
  window.once('ready-to-show', show)
  window.once('closed', () => late.cancel())

  function show(): void {
    late.cancel()
    if (window.isDestroyed() || window.isVisible()) return
    if (state?.isMaximized) window.maximize()
    window.show()
  }

  window.on('focus', options.onFocus)
  window.on('page-title-updated', options.onTitle)
  window.on('close', (event) => {
    if (!options.onClose()) event.preventDefault()
  })
  window.on('query-session-end', (event) => {
    if (!options.onSessionEnd()) event.preventDefault()
  })
  webContents.on('preload-error', (_event, _path, error) => void log.bug(error, 'window.preload'))
  window.loadURL(appPage).catch((error: unknown) => log.bug(error, 'window.load'))
  return window
}

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

/** Loads the page anew when its process ended or hangs. Text and runs live in main, so nothing is lost. */
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
