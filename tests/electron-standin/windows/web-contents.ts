import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Event, WebContents, WebContentsWillFrameNavigateEventParams, WebFrameMain } from 'electron'
import { DocumentedEmitter, documentClass } from '../documented.ts'
import { createEvent } from '../event.ts'
import { ipcMainChannels } from '../ipc-main.ts'
import { cloneable } from '../page/clone.ts'
import { binding, pageScripts, preloadWorld } from '../page/page-scripts.ts'
import type { FromPage } from '../page/preload-world.ts'
import { answerRequest, fromChromiumAddress, handledPattern, toChromiumAddress } from '../schemes.ts'
import { defaultSession } from '../session.ts'
import type { Chromium } from './chromium.ts'
import { openPage, type PageSession } from './page-session.ts'
import { applyPermissions } from './permissions.ts'
import { StandInWebFrame } from './web-frame.ts'

type Offered = Pick<
  WebContents,
  | 'executeJavaScript'
  | 'forcefullyCrashRenderer'
  | 'getURL'
  | 'id'
  | 'isDestroyed'
  | 'mainFrame'
  | 'reload'
  | 'replaceMisspelling'
  | 'send'
  | 'setWindowOpenHandler'
>

type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]

export const webContentsEvents = {
  'context-menu': ['event', 'params'],
  destroyed: [],
  'did-finish-load': [],
  'did-navigate': ['event', 'url', 'httpResponseCode', 'httpStatusText'],
  'page-title-updated': ['event', 'title', 'explicitSet'],
  'preload-error': ['event', 'preloadPath', 'error'],
  'render-process-gone': ['event', 'details'],
  responsive: [],
  unresponsive: [],
  'will-attach-webview': ['event', 'webPreferences', 'params'],
  'will-frame-navigate': ['details'],
} as const

/** Time after which a page counts as unresponsive, as in Electron; a test may shorten it. Units: milliseconds. */
const silenceMs = Number(process.env.ELECTRON_STANDIN_SILENCE_MS ?? 30_000)
const heartbeatMs = 500
let lastId = 0

export type PageHolder = {
  chromium: Chromium
  size: { width: number; height: number }
  preload: string | undefined
  onTitle(title: string): void
  onFirstPaint(): void
  close(): void
}

export class StandInWebContents extends DocumentedEmitter implements Offered {
  readonly id = ++lastId
  readonly #holder: PageHolder
  readonly #page: Promise<PageSession>
  #frame = new StandInWebFrame('')
  #world: number | undefined
  #isOwnNavigation = false
  #isDestroyed = false
  #isSilent = false
  #openHandler: OpenHandler = () => ({ action: 'allow' })
  _targetId: string | undefined

  constructor(holder: PageHolder) {
    super('WebContents', webContentsEvents)
    this.#holder = holder
    this.#page = this.#open()
  }

  async #open(): Promise<PageSession> {
    const { chromium, size, preload } = this.#holder
    const page = await openPage(chromium, size, (method, params) => this.#onEvent(method, params))
    this._targetId = page.targetId
    await page.send('Runtime.addBinding', { name: binding, executionContextName: preloadWorld })
    await page.send('Fetch.enable', {
      patterns: [{ urlPattern: handledPattern }, { urlPattern: '*', resourceType: 'Document' }],
    })
    if (preload !== undefined) {
      const scripts = pageScripts(readFileSync(preload, 'utf8'), randomUUID())
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.main })
      const inWorld = { source: scripts.preload, worldName: preloadWorld }
      await page.send('Page.addScriptToEvaluateOnNewDocument', inWorld)
    }
    setInterval(() => void this.#beat(page), heartbeatMs).unref()
    return page
  }

  #onEvent(method: string, params: never): void {
    if (this.#isDestroyed) return
    const handle = this.#handlers[method]
    handle?.(params)
  }

  readonly #handlers: Record<string, (params: never) => void> = {
    'Runtime.executionContextCreated': ({
      context,
    }: {
      context: { id: number; name: string; auxData: { frameId: string } }
    }) => {
      if (context.name === preloadWorld && context.auxData.frameId === this._targetId)
        this.#world = context.id
    },
    'Runtime.bindingCalled': ({ name, payload }: { name: string; payload: string }) => {
      if (name === binding) this.#onPageMessage(JSON.parse(payload))
    },
    'Page.frameNavigated': ({ frame }: { frame: { url: string; parentId?: string } }) => {
      if (frame.parentId !== undefined) return
      const url = fromChromiumAddress(frame.url)
      this.#frame = new StandInWebFrame(url)
      this.emit('did-navigate', createEvent(), url, 200, 'OK')
    },
    'Page.loadEventFired': () => {
      this.emit('did-finish-load')
      this.#holder.onFirstPaint()
    },
    // A link that opens a new window; `window.open` comes as a message of the page.
    'Page.windowOpen': ({ url }: { url: string }) => this.#onOpen(url),
    'Fetch.requestPaused': (params: PausedRequest) => void this.#onRequest(params),
    'Inspector.targetCrashed': () => {
      this.#world = undefined
      this.emit('render-process-gone', createEvent(), { reason: 'crashed', exitCode: 11 })
    },
    'Inspector.detached': () => this.#holder.close(),
  }

  async #onRequest({ requestId, request, resourceType, frameId }: PausedRequest): Promise<void> {
    const page = await this.#page
    if (resourceType === 'Document' && !this.#mayNavigate(request.url, frameId === this._targetId)) {
      await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      return
    }
    const answer = await answerRequest(request.url, request.method)
    if (answer === undefined) await page.send('Fetch.continueRequest', { requestId })
    else {
      const { status, headers, body } = answer
      await page.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: status,
        responseHeaders: headers,
        body,
      })
    }
  }

  /** Returns whether a page may navigate; navigations by main emit no event. Source: `will-frame-navigate`. */
  #mayNavigate(address: string, isMainFrame: boolean): boolean {
    if (isMainFrame && this.#isOwnNavigation) {
      this.#isOwnNavigation = false
      return true
    }
    const details: Event<WebContentsWillFrameNavigateEventParams> = createEvent({
      url: fromChromiumAddress(address),
      isMainFrame,
      isSameDocument: false,
      frame: null,
    })
    this.emit('will-frame-navigate', details)
    return !details.defaultPrevented
  }

  #onOpen(url: string): void {
    const details = { url: fromChromiumAddress(url) } as Parameters<OpenHandler>[0]
    if (this.#openHandler(details).action !== 'deny') {
      throw new Error('The Electron stand-in opens no second window.')
    }
  }

  #onPageMessage(message: FromPage): void {
    if (message.kind === 'send') {
      const event = {
        sender: this,
        senderFrame: this.#frame,
        frameId: 1,
        processId: 1,
        ports: [],
        type: 'frame',
      }
      ipcMainChannels.emit(message.channel, event, ...message.args)
    } else if (message.kind === 'open') {
      this.#onOpen(message.url)
    } else if (message.kind === 'preload-error') {
      this.emit('preload-error', createEvent(), this.#holder.preload, new Error(message.message))
    } else {
      const { isEditable, selectionText, x, y } = message
      const canEdit = { canUndo: isEditable, canRedo: isEditable, canPaste: isEditable, canSelectAll: true }
      const hasText = selectionText !== ''
      const canTake = { canCopy: hasText, canCut: hasText && isEditable, canDelete: hasText && isEditable }
      const editFlags = { ...canEdit, ...canTake, canEditRichly: false }
      const spelling = { misspelledWord: '', dictionarySuggestions: [] }
      this.emit('context-menu', createEvent(), { x, y, isEditable, selectionText, editFlags, ...spelling })
    }
  }

  /** Checks whether the page answers: one that hangs does not, and one that is gone cannot. */
  async #beat(page: PageSession): Promise<void> {
    if (this.#isDestroyed || this.#world === undefined || this.#isSilent) return
    const world = this.#world
    const timer = setTimeout(() => {
      if (this.#world !== world || this.#isDestroyed) return
      this.#isSilent = true
      this.emit('unresponsive')
    }, silenceMs)
    try {
      await page.send('Runtime.evaluate', { expression: '1', contextId: world })
    } catch {
      return // The page was left or its process ended; neither is a page that hangs.
    } finally {
      clearTimeout(timer)
      if (this.#isSilent && this.#world === world) this.emit('responsive')
      this.#isSilent = false
    }
  }

  async _load(address: string): Promise<void> {
    const page = await this.#page
    this.#isOwnNavigation = true
    const loaded = new Promise<void>((resolve) => this.once('did-finish-load', () => resolve()))
    const url = toChromiumAddress(address)
    await applyPermissions(this.#holder.chromium, new URL(url).origin)
    const { errorText } = await page.send<{ errorText?: string }>('Page.navigate', { url })
    if (errorText !== undefined) throw new Error(`${errorText} loading '${address}'`)
    await loaded
  }
  _destroyed(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.emit('destroyed')
  }
  async _setColorScheme(scheme: 'light' | 'dark'): Promise<void> {
    const page = await this.#page
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    })
  }

  send(channel: string, ...args: unknown[]): void {
    if (this.#isDestroyed) throw new TypeError('Object has been destroyed')
    const world = this.#world
    if (world === undefined) return
    const copies = JSON.stringify(args.map((each) => cloneable(each)))
    const expression = `electronStandInReceive(${JSON.stringify(channel)}, ${copies})`
    this.#page
      .then((page) => page.send('Runtime.evaluate', { expression, contextId: world }))
      // A page that was left meanwhile misses it, as it does in Electron.
      .catch((error: unknown) => process.env.ELECTRON_STANDIN_DEBUG && console.error(error))
  }
  async executeJavaScript(code: string): Promise<unknown> {
    const page = await this.#page
    const expression = { expression: code, awaitPromise: true, returnByValue: true, userGesture: true }
    const answer = await page.send<{ result: { value: unknown }; exceptionDetails?: { text: string } }>(
      'Runtime.evaluate',
      expression,
    )
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
    return answer.result.value
  }
  reload(): void {
    this.#isOwnNavigation = true
    void this.#page.then((page) => page.send('Page.reload'))
  }
  forcefullyCrashRenderer(): void {
    // The answer never comes: the page that would give it is gone.
    void this.#page.then((page) => page.send('Page.crash').catch(() => undefined))
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler
  }
  replaceMisspelling(text: string): void {
    void this.#page.then((page) => page.send('Input.insertText', { text }))
  }
  get session(): typeof defaultSession {
    return defaultSession
  }
  get mainFrame(): WebFrameMain {
    return this.#frame as unknown as WebFrameMain
  }
  getURL(): string {
    return this.#frame.url
  }
  isDestroyed(): boolean {
    return this.#isDestroyed
  }
  close(): void {
    this.#holder.close()
  }
}
documentClass('WebContents', StandInWebContents, webContentsEvents)

type PausedRequest = {
  requestId: string
  request: { url: string; method: string }
  resourceType: string
  frameId: string
}
