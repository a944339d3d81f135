import '../src/main/platform/node/interpret-schemas.ts'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeTheme,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  utilityProcess,
} from 'electron'
import type { HostNotice } from '../src/main/deps.ts'
import { dataFolderAt, dataFolderPath, makeDataFolder } from '../src/main/platform/files/data-folder.ts'
import { forceEnd } from '../src/main/platform/node/forced-end.ts'
import { openRendererFiles } from '../src/main/web-host/renderer-files.ts'
import { isAppError } from '../src/shared/errors.ts'
import { chooseLanguage, createTranslate, errorText } from '../src/shared/i18n/translate.ts'
import { serve } from '../src/shared/rpc/serve.ts'
import { appOrigin, appScheme, createAppHandler, guardSession, setSpelling } from './app-page.ts'
import { createDesktop } from './desktop.ts'
import { arrangeEnding, createClosing } from './ending.ts'
import { type Host, openHost } from './host.ts'
import { listenForPages } from './ipc-port.ts'
import { readLaunchArguments } from './launch-arguments.ts'
import { nameForWindows } from './native-shell.ts'
import { openPageWindow } from './page-window.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createWindowMemory } from './window.ts'
import { createWindowEvents } from './window-events.ts'

/** A window sends typed text within this time, measured in the page. Units: milliseconds. */
const typingMs = 150
/** Longest wait for a page to send its text; it may hang. Units: milliseconds. */
const handOverMs = 3_000
const lastSaveMs = 10_000

// Electron refuses both calls once the app is ready.
protocol.registerSchemesAsPrivileged([appScheme])
// With `--no-sandbox` (an AppImage where user namespaces are restricted) windows would stay white.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
nameForWindows(app, process.platform)

const bundlesDir = import.meta.dirname
const request = readLaunchArguments(process.argv.slice(1), process.cwd())
// Unpackaged, the names up to the app's own folder are Electron's.
if (!app.isPackaged) request.paths.splice(0, request.paths.indexOf(app.getAppPath()) + 1)
const dataDir =
  request.dataDir ?? dataFolderPath({ platform: process.platform, env: process.env, home: homedir() })
const profileDir = join(dataDir, 'window')
mkdirSync(profileDir, { recursive: true, mode: 0o700 })
app.setPath('userData', profileDir)

/** Queues paths that arrive before a window can open them. */
let open: (paths: readonly string[]) => void = (paths) => void request.paths.push(...paths)

/** Placeholders until the desktop sets its own: only a window calls them, and there is none before. */
let pick: Questions['pick'] = async () => null
let notify: (notice: HostNotice) => void = () => undefined

if (app.requestSingleInstanceLock({ paths: request.paths })) {
  app.on('second-instance', (_event, _argv, _workingDirectory, data) => open(pathsOf(data)))
  app.on('open-file', (event, path) => {
    event.preventDefault()
    open([path])
  })
  app.whenReady().then(start).catch(fail)
} else app.exit(0)

async function start(): Promise<void> {
  // Before anything is awaited: the session fetches a dictionary for the system's language in its first turn.
  setSpelling(session.defaultSession, false, process.platform)
  await makeDataFolder(dataDir)
  const host = await openHost({
    request,
    folder: dataFolderAt(dataDir),
    version: app.getVersion(),
    locale: app.getLocale(),
    bundlesDir,
    appDir: app.getAppPath(),
    resourcesDir: join(app.getAppPath(), 'resources'),
    safeStorage,
    electronShell: shell,
    pick: (kind, defaultPath) => pick(kind, defaultPath),
    notify: (notice) => notify(notice),
    fork: utilityProcess.fork,
    onHandOver: (paths) => open(paths),
  })
  if (host.kind === 'elsewhere') return showElsewhere(host.address)
  await runDesktop(host)
}

async function runDesktop(host: Extract<Host, { kind: 'open' }>): Promise<void> {
  const { app: services, deps } = host
  const files = await openRendererFiles(join(bundlesDir, '../renderer'))
  protocol.handle('tsugi', createAppHandler(files))
  guardSession(session.defaultSession)
  const { api, contract } = await services.load()
  const events = createWindowEvents(api)
  listenForPages({
    ipcMain,
    origin: appOrigin,
    onPort: (port) => void serve(port, contract, events.api, { log: deps.log }),
    onRefused: (from) => deps.log.write('warn', 'ipc.refused', { from }),
  })

  let window: BrowserWindow | undefined
  const desktop = createDesktop({
    app: services,
    api,
    deps,
    electronApp: app,
    Menu,
    Notification,
    nativeTheme,
    session: session.defaultSession,
    questions: (t) => createQuestions({ dialog, parent: () => window, t }),
    window: () => window,
    showWindow,
    events,
    showLogs: () => void shell.openPath(dataFolderAt(dataDir).logs),
  })
  const closing = createClosing({
    state: {
      async flush() {
        await Promise.race([handedOver(window), sleep(handOverMs)])
        await services.flush()
      },
      hasUnsavedWork: services.hasUnsavedWork,
      runningCount: desktop.activity.runningCount,
    },
    ask: (question) => desktop.questions.mayCloseWith(question),
    onFlushFailed: (error) => deps.log.bug(error, 'close.flush'),
    flushTimeoutMs: lastSaveMs,
    wait: sleep,
  })
  const ending = arrangeEnding({
    app,
    platform: process.platform,
    closing,
    window: () => window,
    closeServices() {
      desktop.close()
      return host.close()
    },
    // Nothing is lost after the last save: services that have not ended by then end with the process.
    forceEnd: () => forceEnd(deps.log),
    onFailed: (error) => deps.log.bug(error, 'close'),
  })

  // Installed only now: Electron replaces signal handlers that are set before it is ready.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ending.onSignal)

  function showWindow(): void {
    if (window === undefined) openWindow()
    else {
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    }
  }

  function openWindow(): void {
    window = openPageWindow({
      BrowserWindow,
      Menu,
      screen,
      preload: join(bundlesDir, '../preload/preload.cjs'),
      memory: createWindowMemory({ dataDir, hostId: deps.hostId, random: deps.random }),
      questions: desktop.questions,
      clock: deps.clock,
      log: deps.log,
      t: desktop.t,
      isDark: () => nativeTheme.shouldUseDarkColors,
      openOutside: (address) => void shell.openExternal(address),
      onFocus() {
        desktop.seen()
        desktop.refreshRecent()
      },
      onTitle: desktop.refreshRecent,
      onSessionEnd: ending.onSessionEnd,
      onClose: ending.onWindowClose,
      onGaveUp: () => app.quit(),
    })
    window.on('closed', () => {
      window = undefined
    })
  }

  pick = desktop.questions.pick
  notify = desktop.notify
  open = (paths) => {
    showWindow()
    for (const path of paths) desktop.open(path)
  }
  app.on('activate', showWindow)
  open(request.paths)
  services.expectWindow()
  services.begin(request.starter)
}

/** Resolves when a timer in the page has run for `typingMs`: a busy page sends its typed text late. */
async function handedOver(window: BrowserWindow | undefined): Promise<void> {
  const wait = `new Promise((resolve) => setTimeout(() => resolve(true), ${typingMs}))`
  if (window === undefined || window.isDestroyed()) return
  const { webContents } = window
  // A page that is gone, or is going, has nothing more to send.
  await webContents.executeJavaScript(wait).catch(() => undefined)
}

/** Offers to show the window of the host that has the data folder and was told what to open. */
async function showElsewhere(address: string): Promise<void> {
  const questions = createQuestions({ dialog, parent: () => undefined, t: systemText })
  if (await questions.showHostInUse(address)) await shell.openExternal(address)
  app.exit(0)
}

function fail(error: unknown): void {
  const t = systemText()
  const text = isAppError(error) ? errorText(t, systemLanguage(), error.info) : String(error)
  dialog.showErrorBox(t('shell.failed.message'), text)
  app.exit(1)
}

function systemLanguage() {
  return request.language ?? chooseLanguage('system', app.getLocale())
}

function systemText() {
  return createTranslate(systemLanguage())
}

/** Reads the paths from the data of a second start, since its command line may arrive reordered. */
function pathsOf(data: unknown): string[] {
  const paths: unknown = typeof data === 'object' && data !== null && 'paths' in data ? data.paths : []
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : []
}
