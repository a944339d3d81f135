import type { BrowserWindow, Menu, Screen, WebContents } from 'electron'
import type { Clock, Log } from '../src/main/deps.ts'
import type { Translate } from '../src/shared/i18n/translate.ts'
import { appPage } from './app-protocol.ts'
import { contextMenuTemplate } from './context-menu.ts'
import { guardPage } from './page-guards.ts'
import type { Questions } from './questions.ts'
import { keepPageAlive } from './recovery.ts'
import { rememberWindow, type WindowMemory, windowOptions } from './window.ts'

export type PageWindowOptions = {
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
  offerContextMenu(window, webContents, options)

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

function offerContextMenu(window: BrowserWindow, webContents: WebContents, options: PageWindowOptions): void {
  webContents.on('context-menu', (_event, params) => {
    const template = contextMenuTemplate(params, options.t(), {
      replace: (word) => webContents.replaceMisspelling(word),
      learn: (word) => void webContents.session.addWordToSpellCheckerDictionary(word),
    })
    if (template.length > 0) options.Menu.buildFromTemplate(template).popup({ window })
  })
}
