import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { DocumentedEmitter, documentClass } from '../documented.ts'
import { standInApp } from '../electron-app.ts'
import { createEvent } from '../event.ts'
import { currentChromium } from '../running.ts'
import { StandInWebContents } from './web-contents.ts'

type Offered = Pick<
  BrowserWindow,
  | 'blur'
  | 'close'
  | 'destroy'
  | 'flashFrame'
  | 'focus'
  | 'getBounds'
  | 'getNormalBounds'
  | 'getTitle'
  | 'hide'
  | 'id'
  | 'isDestroyed'
  | 'isFocused'
  | 'isMaximized'
  | 'isMinimized'
  | 'isVisible'
  | 'loadURL'
  | 'maximize'
  | 'minimize'
  | 'restore'
  | 'setBounds'
  | 'setProgressBar'
  | 'show'
  | 'unmaximize'
>

export const browserWindowEvents = {
  blur: ['event'],
  close: ['event'],
  closed: [],
  focus: ['event'],
  hide: [],
  maximize: [],
  minimize: [],
  move: [],
  'page-title-updated': ['event', 'title', 'explicitSet'],
  'query-session-end': ['event'],
  'ready-to-show': [],
  resize: [],
  restore: [],
  show: [],
  unmaximize: [],
} as const

/** Options that the stand-in carries out or that only a real desktop could show. */
const knownOptions = new Set<keyof BrowserWindowConstructorOptions>([
  ...(['width', 'height', 'x', 'y', 'show', 'webPreferences', 'title'] as const),
  ...(['minWidth', 'minHeight', 'backgroundColor', 'icon'] as const),
])
type WebPreferences = NonNullable<BrowserWindowConstructorOptions['webPreferences']>
/** Preferences that every page here has; the stand-in does not implement other values. */
const fixedPreferences: Partial<WebPreferences> = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webviewTag: false,
}
const freePreferences = new Set<keyof WebPreferences>(['preload', 'spellcheck'])

const open = new Set<StandInBrowserWindow>()
let focused: StandInBrowserWindow | undefined

export class StandInBrowserWindow extends DocumentedEmitter implements Offered {
  readonly id: number
  readonly webContents: StandInWebContents
  #bounds: Rectangle
  #state: 'normal' | 'maximized' | 'minimized' = 'normal'
  #isVisible: boolean
  #isDestroyed = false
  #isPainted = false
  #title: string

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super('BrowserWindow', browserWindowEvents)
    if (!standInApp.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    checkOptions(options)
    const { width = 800, height = 600, x = 0, y = 0, show = true } = options
    this.#bounds = { x, y, width, height }
    this.#isVisible = show
    this.#title = options.title ?? standInApp.getName()
    this.webContents = new StandInWebContents({
      chromium: currentChromium(),
      size: { width, height },
      preload: options.webPreferences?.preload,
      onTitle: (title) => this.#onTitle(title),
      onFirstPaint: () => this.#onFirstPaint(),
      close: () => this.close(),
    })
    this.id = this.webContents.id
    open.add(this)
  }

  static getAllWindows(): StandInBrowserWindow[] {
    return [...open]
  }
  static getFocusedWindow(): StandInBrowserWindow | null {
    return focused ?? null
  }
  static fromWebContents(webContents: StandInWebContents): StandInBrowserWindow | null {
    return [...open].find((window) => window.webContents === webContents) ?? null
  }

  #onFirstPaint(): void {
    if (this.#isPainted) return
    this.#isPainted = true
    this.emit('ready-to-show')
  }
  #onTitle(title: string): void {
    const event = createEvent()
    this.emit('page-title-updated', event, title, true)
    if (!event.defaultPrevented) this.#title = title
  }
  _titleChanged(title: string): void {
    if (title !== this.#title) this.#onTitle(title)
  }

  loadURL(url: string): Promise<void> {
    return this.webContents._load(url)
  }
  show(): void {
    this.#isVisible = true
    this.emit('show')
    this.focus()
  }
  hide(): void {
    this.blur()
    this.#isVisible = false
    this.emit('hide')
  }
  focus(): void {
    if (focused === this || !this.#isVisible) return
    focused?.blur()
    focused = this
    this.emit('focus', createEvent())
  }
  blur(): void {
    if (focused !== this) return
    focused = undefined
    this.emit('blur', createEvent())
  }
  isFocused(): boolean {
    return focused === this
  }
  isVisible(): boolean {
    return this.#isVisible
  }
  maximize(): void {
    this.#state = 'maximized'
    this.emit('maximize')
  }
  unmaximize(): void {
    this.#state = 'normal'
    this.emit('unmaximize')
  }
  isMaximized(): boolean {
    return this.#state === 'maximized'
  }
  minimize(): void {
    this.#state = 'minimized'
    this.emit('minimize')
    this.blur()
  }
  restore(): void {
    this.#state = 'normal'
    this.emit('restore')
  }
  isMinimized(): boolean {
    return this.#state === 'minimized'
  }
  getBounds(): Rectangle {
    return { ...this.#bounds }
  }
  getNormalBounds(): Rectangle {
    return { ...this.#bounds }
  }
  setBounds(bounds: Partial<Rectangle>): void {
    const before = this.#bounds
    this.#bounds = { ...before, ...bounds }
    if (before.x !== this.#bounds.x || before.y !== this.#bounds.y) this.emit('move')
    if (before.width !== this.#bounds.width || before.height !== this.#bounds.height) this.emit('resize')
  }
  getTitle(): string {
    return this.#title
  }
  setProgressBar(progress: number): void {
    if (Number.isNaN(progress)) throw new TypeError('Error processing argument at index 0')
  }
  flashFrame(_flag: boolean): void {
    // Only a desktop could show it.
  }
  close(): void {
    if (this.#isDestroyed) return
    const event = createEvent()
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.blur()
    open.delete(this)
    this.webContents._destroyed()
    const targetId = this.webContents._targetId
    // The target may be gone already: its page crashed, or the browser was closed.
    if (targetId !== undefined)
      currentChromium()
        .send('Target.closeTarget', { targetId })
        .catch(() => undefined)
    this.emit('closed')
    if (open.size === 0) standInApp._allWindowsClosed()
  }
  isDestroyed(): boolean {
    return this.#isDestroyed
  }
}
documentClass('BrowserWindow', StandInBrowserWindow, browserWindowEvents)

function checkOptions(options: BrowserWindowConstructorOptions): void {
  const { webPreferences = {}, ...rest } = options
  for (const name of Object.keys(rest) as (keyof BrowserWindowConstructorOptions)[]) {
    if (!knownOptions.has(name)) throw new Error(`The Electron stand-in lacks the window option ${name}.`)
  }
  for (const [name, value] of Object.entries(webPreferences) as [keyof WebPreferences, unknown][]) {
    if (freePreferences.has(name) || fixedPreferences[name] === value) continue
    throw new Error(`The Electron stand-in lacks the web preference ${name}: ${JSON.stringify(value)}.`)
  }
}

/** Closes every window; returns false where one of them prevented it. */
export function closeAllWindows(): boolean {
  for (const window of open) window.close()
  return open.size === 0
}
