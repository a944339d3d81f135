import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AboutPanelOptionsOptions, App, FocusOptions, ProcessMetric } from 'electron'
import { DocumentedEmitter, documentModule } from './documented.ts'
import { createEvent } from './event.ts'
import { createInstanceLock } from './instance-lock.ts'

type Offered = Pick<
  App,
  | 'addRecentDocument'
  | 'commandLine'
  | 'enableSandbox'
  | 'exit'
  | 'focus'
  | 'getAppMetrics'
  | 'getAppPath'
  | 'getLocale'
  | 'getName'
  | 'getPath'
  | 'getVersion'
  | 'isPackaged'
  | 'isReady'
  | 'quit'
  | 'requestSingleInstanceLock'
  | 'setAboutPanelOptions'
  | 'setBadgeCount'
  | 'setPath'
  | 'whenReady'
>
type PathName = Parameters<App['getPath']>[0]

export const appEvents = {
  activate: ['event', 'hasVisibleWindows'],
  'before-quit': ['event'],
  'open-file': ['event', 'path'],
  quit: ['event', 'exitCode'],
  ready: ['event', 'launchInfo'],
  'second-instance': ['event', 'argv', 'workingDirectory', 'additionalData'],
  'will-quit': ['event'],
  'window-all-closed': [],
} as const

/** Functions by which `app.quit` closes windows and the browser. */
export type AppSurroundings = {
  closeWindows(): boolean
  closeBrowser(): Promise<void>
}

class StandInApp extends DocumentedEmitter implements Offered {
  #surroundings: AppSurroundings = { closeWindows: () => true, closeBrowser: async () => undefined }
  #package = { name: 'app', version: '0.0.0' }
  #appPath = process.cwd()
  #paths = new Map<string, string>()
  #ready = Promise.withResolvers<void>()
  #isReady = false
  #isQuitting = false
  #isExiting = false
  #instanceLock = createInstanceLock((argv, workingDirectory, additionalData) =>
    this.emit('second-instance', createEvent(), argv, workingDirectory, additionalData),
  )

  constructor() {
    super('App', appEvents)
  }

  // What follows is the stand-in's own; the app cannot reach it through the module.
  _start(surroundings: AppSurroundings): void {
    this.#surroundings = surroundings
    this.#isReady = true
    this.emit('ready', createEvent(), {})
    this.#ready.resolve()
  }
  _setPackage(appPath: string, description: { name: string; version: string }): void {
    this.#appPath = appPath
    this.#package = description
  }
  _metrics: () => Pick<ProcessMetric, 'pid' | 'type' | 'name'>[] = () => []
  get _isQuitting(): boolean {
    return this.#isQuitting
  }
  _allWindowsClosed(): void {
    if (this.#isQuitting) return
    if (this.listenerCount('window-all-closed') > 0) this.emit('window-all-closed')
    else this.quit()
  }

  get isPackaged(): boolean {
    return process.env.ELECTRON_STANDIN_ARCHIVE !== undefined
  }
  readonly commandLine: App['commandLine'] = documentModule('CommandLine', {
    appendSwitch: () => undefined,
    appendArgument: () => undefined,
    hasSwitch: (name: string) =>
      process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
    getSwitchValue: (name: string) =>
      process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '',
    removeSwitch: () => undefined,
  })

  whenReady(): Promise<void> {
    return this.#ready.promise
  }
  isReady(): boolean {
    return this.#isReady
  }
  getName(): string {
    return this.#package.name
  }
  getVersion(): string {
    return this.#package.version
  }
  getAppPath(): string {
    return this.#appPath
  }
  getAppMetrics(): ProcessMetric[] {
    return this._metrics() as ProcessMetric[]
  }
  getLocale(): string {
    return this.#isReady ? this.commandLine.getSwitchValue('lang') || 'en-US' : ''
  }
  getPath(name: PathName): string {
    const userData = this.#paths.get('userData') ?? join(tmpdir(), 'electron-standin-user-data')
    const known: Partial<Record<PathName, string>> = {
      home: homedir(),
      temp: tmpdir(),
      userData,
      documents: join(homedir(), 'Documents'),
      exe: process.argv[0] ?? '',
    }
    const path = this.#paths.get(name) ?? known[name]
    if (path === undefined) throw new Error(`Failed to get '${name}' path`)
    return path
  }
  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }
  enableSandbox(): void {
    if (this.commandLine.hasSwitch('no-sandbox')) {
      throw new Error('app.enableSandbox() with --no-sandbox leaves every window white.')
    }
    if (this.#isReady) throw new Error('app.enableSandbox() can only be called before app is ready')
  }
  requestSingleInstanceLock(additionalData: Record<string, unknown> = {}): boolean {
    return this.#instanceLock.request(this.getPath('userData'), additionalData)
  }
  setAboutPanelOptions(_options: AboutPanelOptionsOptions): void {
    // Only a desktop could show it.
  }
  setBadgeCount(_count?: number): boolean {
    return process.platform !== 'win32'
  }
  addRecentDocument(_path: string): void {
    // Only a desktop could show it.
  }
  focus(_options?: FocusOptions): void {
    // Only a desktop could show it.
  }

  /** Source: `app.quit`: before-quit, each window's close, will-quit, quit; any of them may stop it. */
  quit(): void {
    if (this.#isExiting) return
    const before = createEvent()
    this.emit('before-quit', before)
    if (before.defaultPrevented) return
    this.#isQuitting = true
    if (!this.#surroundings.closeWindows()) {
      this.#isQuitting = false
      return
    }
    const will = createEvent()
    this.emit('will-quit', will)
    this.#isQuitting = !will.defaultPrevented
    if (will.defaultPrevented) return
    this.emit('quit', createEvent(), 0)
    this.exit(0)
  }
  exit(exitCode = 0): void {
    if (this.#isExiting) return
    this.#isExiting = true
    void Promise.allSettled([this.#instanceLock.settled(), this.#surroundings.closeBrowser()]).then(() =>
      process.exit(exitCode),
    )
  }
}

export const standInApp = new StandInApp()
export const app = documentModule('App', standInApp, appEvents)
