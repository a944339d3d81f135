import type { Api, contract } from '../shared/contract/index.ts'
import type { HostEvent, HostInfo, RecordDamage } from '../shared/domain/app/host-info.ts'
import { AppError, isAppError } from '../shared/errors.ts'
import { type App, type AppOptions, createApp } from './app.ts'
import type { Deps } from './deps.ts'
import { createBroadcast } from './platform/broadcast.ts'
import { dataFolderAt } from './platform/files/data-folder.ts'
import { type Backups, createBackups } from './store/database/backups.ts'

/**
 * Opens the app. Where the database is damaged and has backups, opens an app that offers to restore one first.
 *
 * Errors: `store/damaged` where there is no backup; `store/newer`, `host/bad-data-folder`.
 */
export async function openApp(deps: Deps, options: AppOptions): Promise<App> {
  const { database, backups: folder } = dataFolderAt(deps.dataDir)
  try {
    return await createApp(deps, options)
  } catch (error) {
    if (!isAppError(error, 'store/damaged') || error.info.path !== database) throw error
    const backups = createBackups(database, folder, deps.clock)
    if (backups.list().length === 0) throw error
    deps.log.write('warn', 'store.damaged', { reason: error.info.reason })
    return createDamagedApp(deps, options, error.info, backups)
  }
}

/** Returns an app that reports the damage and restores a backup; from then on it forwards to the real app. */
function createDamagedApp(
  deps: Deps,
  options: AppOptions,
  damage: Omit<RecordDamage, 'backups'>,
  backups: Backups,
): App {
  const events = createBroadcast<HostEvent>()
  const opened = Promise.withResolvers<App>()
  let { openPath } = options
  let app: App | undefined
  let real: Api | undefined
  let restoring: Promise<App> | undefined

  const info = (): HostInfo => ({
    version: options.version,
    kind: deps.shell.kind,
    hostId: deps.hostId,
    dataDir: deps.dataDir,
    locale: deps.locale,
    isLocaleChosen: options.isLocaleChosen ?? false,
    hasNativePicker: false,
    hasNotices: false,
    openPath: null,
    damage: { path: damage.path, reason: damage.reason, backups: backups.list() },
  })

  async function restore(name: string): Promise<App> {
    backups.restore(name)
    const restored = await createApp(deps, { ...options, openPath })
    real = (await restored.load()).api
    return restored
  }

  const own: Partial<Api> = {
    'host.info': async () => info(),
    'host.watch': (_input, { signal }) => events.subscribe(signal),
    async 'host.restoreBackup'({ name }) {
      restoring ??= restore(name)
      try {
        app = await restoring
      } finally {
        restoring = undefined
      }
      opened.resolve(app)
      events.send({ type: 'restored' })
      return {}
    },
  }

  return {
    async load() {
      const { contract } = await import('../shared/contract/index.ts')
      return { contract, api: createStandInApi(contract, own, () => real, damage) }
    },
    expectWindow: () => app?.expectWindow(),
    starter: {
      async *watch(signal) {
        yield* (await until(opened.promise, signal))?.starter.watch(signal) ?? []
      },
    },
    handOver(path) {
      openPath = path
      app?.handOver(path)
    },
    hasUnsavedWork: () => app?.hasUnsavedWork() ?? false,
    flush: async () => app?.flush(),
    begin: (starter) => void opened.promise.then((restored) => restored.begin(starter)),
    onRun: (listener) => void opened.promise.then((restored) => restored.onRun(listener)),
    async close() {
      await restoring?.catch(() => undefined)
      events.end()
      await app?.close()
    },
  }
}

/** Returns an API that forwards to the real app once there is one; before that it has only the methods of `own`. */
function createStandInApi(
  methodsOf: typeof contract,
  own: Partial<Api>,
  current: () => Api | undefined,
  damage: Omit<RecordDamage, 'backups'>,
): Api {
  type AnyMethod = (input: unknown, context: { signal: AbortSignal }) => unknown
  const methods = Object.entries(methodsOf).map(([name, { kind }]): [string, AnyMethod] => {
    const methodOf = (api: Partial<Api> | undefined) => api?.[name as keyof Api] as AnyMethod | undefined
    return [
      name,
      (input, context) => {
        const method = methodOf(current()) ?? methodOf(own)
        if (method !== undefined) return method(input, context)
        if (kind === 'stream') return silence(context.signal)
        return Promise.reject(
          new AppError({ code: 'store/damaged', path: damage.path, reason: damage.reason }),
        )
      },
    ]
  })
  // Entry by entry this is the whole contract.
  return Object.fromEntries(methods) as Api
}

/** Yields nothing: a stream of events that cannot happen before the window is reloaded. */
async function* silence(signal: AbortSignal): AsyncGenerator<never, void, void> {
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}

function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = new Promise<undefined>((done) => {
    signal.addEventListener('abort', () => done(undefined), { once: true })
  })
  return Promise.race([work, aborted])
}
