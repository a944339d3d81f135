import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { chooseLanguage, createTranslate, errorText, type Language } from '../../shared/i18n/translate.ts'
import type { Deps } from '../deps.ts'
import type { App } from '../lifecycle/running-app.ts'
import { openApp } from '../open-app.ts'
import { systemClock } from '../platform/clock.ts'
import { dataFolderAt, dataFolderPath, makeDataFolder } from '../platform/files/data-folder.ts'
import { lockDataFolder } from '../platform/files/data-folder-lock.ts'
import { createFileLog } from '../platform/log.ts'
import { forceEnd } from '../platform/node/forced-end.ts'
import { forkWorkers } from '../platform/node/fork-worker.ts'
import { systemRandom } from '../platform/random.ts'
import { reportStarter } from '../starter/terminal-report.ts'
import { isLoopback } from './allowed-hosts.ts'
import { CliError, type CliOptions, readCliOptions } from './cli-options.ts'
import { createWebHost } from './web-host.ts'
import { createWebShell, openBrowser } from './web-shell.ts'

declare const __TSUGI_VERSION__: string | undefined
const version = typeof __TSUGI_VERSION__ === 'string' ? __TSUGI_VERSION__ : '0.0.0-dev'

/** The folder of the installation: this file is `src/main/web-host/main.ts` or in `out/main/chunks`. */
const isBuilt = import.meta.filename.endsWith('.js')
const root = resolve(import.meta.dirname, '../../..')

const locale =
  process.env.LC_ALL ||
  process.env.LC_MESSAGES ||
  process.env.LANG ||
  Intl.DateTimeFormat().resolvedOptions().locale
const hostId = systemRandom.id()
let language: Language = chooseLanguage('system', locale)
/** Folder of the log; empty until the data folder is known. */
let logs = ''

try {
  const options = readCliOptions(process.argv.slice(2), process.cwd())
  language = options.language ?? language
  process.exitCode = await run(options)
} catch (error) {
  noteFault(error)
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = error instanceof CliError ? 2 : 1
}

/** Takes the data folder and runs, or hands over to the host that has it. Shape: the exit code. */
async function run(options: CliOptions): Promise<number> {
  const t = createTranslate(language)
  const dataDir =
    options.dataDir ?? dataFolderPath({ platform: process.platform, env: process.env, home: homedir() })
  logs = (await makeDataFolder(dataDir)).logs
  let app: App | undefined
  const handedOver: string[] = []
  const lock = await lockDataFolder({
    dataDir,
    hostId,
    request: { paths: options.paths },
    onHandOver: ({ paths }) => {
      if (app === undefined) handedOver.push(...paths)
      else for (const path of paths) app.handOver(path)
    },
  })
  if (lock.kind === 'handed-over') {
    process.stdout.write(`${t('cli.already-running', { address: lock.address })}\n`)
    if (options.canOpenBrowser) openBrowser(lock.browserAddress)
    return 0
  }
  try {
    await host(options, dataDir, lock.announce, (started) => {
      app = started
      for (const path of handedOver) app.handOver(path)
    })
    return 0
  } finally {
    // Also after a failed start: the open socket of the lock would keep this process alive.
    await lock.release()
  }
}

/** Runs until a signal asks for the end. */
async function host(
  options: CliOptions,
  dataDir: string,
  announce: (address: string, browserAddress: () => string) => void,
  onApp: (app: App) => void,
): Promise<void> {
  const t = createTranslate(language)
  const log = createFileLog({
    folder: dataFolderAt(dataDir).logs,
    random: systemRandom,
    isVerbose: options.isVerbose,
    ...(options.isVerbose ? { echo: (line: string) => process.stderr.write(line) } : {}),
  })
  const deps: Deps = {
    clock: systemClock,
    random: systemRandom,
    log,
    fetch: globalThis.fetch,
    shell: createWebShell({
      dataDir,
      env: process.env,
      platform: process.platform,
      isLoopback: isLoopback(options.host),
    }),
    spawnWorker: forkWorkers({
      engine: join(root, isBuilt ? 'out/main/engine.js' : 'src/main/engine/engine-child.ts'),
      download: join(root, isBuilt ? 'out/main/download.js' : 'src/main/models/catalogue/download-child.ts'),
    }),
    modelHub: process.env.HF_ENDPOINT,
    resourcesDir: join(root, 'resources'),
    dataDir,
    locale: options.language ?? locale.replace('_', '-').replace(/\..*$/, ''),
    hostId,
  }
  // Installed before the link is printed: a program that reads the link may end the host at once.
  const end = new AbortController()
  const ended = new Promise<void>((done) => end.signal.addEventListener('abort', () => done()))
  // A second signal (a terminal and a parent both send one) does not shorten the time for saving.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort())
  end.signal.addEventListener('abort', () => forceEnd(log), { once: true })

  const app = await openApp(deps, {
    version,
    openPath: options.paths[0] ?? null,
    isLocaleChosen: options.language !== null,
  })
  onApp(app)
  try {
    const host = await createWebHost({
      load: app.load,
      onPage: app.expectWindow,
      rendererDir: join(root, 'out/renderer'),
      host: options.host,
      port: options.port,
      tls: options.tls,
      log,
      clock: systemClock,
    })
    announce(host.printedLink(), host.onceLink)
    process.stdout.write(`${t('cli.ready', { link: host.printedLink() })}\n`)
    if (options.canOpenBrowser) openBrowser(host.onceLink())

    void reportStarter(app.starter.watch(end.signal), process.stdout, { t, language })
    app.begin(options.starter)
    await ended
    await host.close()
  } finally {
    await app.close()
    log.close()
  }
}

/** Logs where a bug of the app happened. */
function noteFault(error: unknown): void {
  if (logs === '' || error instanceof CliError || error instanceof AppError) return
  const log = createFileLog({ folder: logs, random: systemRandom, isVerbose: false })
  log.bug(error, 'host.start')
  log.close()
}

function describe(error: unknown): string {
  const t = createTranslate(language)
  if (error instanceof CliError) return t('cli.bad-option', { option: error.message })
  if (error instanceof AppError) return errorText(t, language, error.info)
  // A bug of the app: the terminal shows the message, the log has the place.
  return t('cli.failed', { message: error instanceof Error ? error.message : String(error), logs })
}
