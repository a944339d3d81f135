import type { Api, contract } from '../../shared/contract/index.ts'
import type { HostEvent, HostInfo, RecordDamage } from '../../shared/domain/app/host-info.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { Deps } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import { dataFolderAt } from '../platform/files/data-folder.ts'
import type { Backups } from '../store/database/backups.ts'
import { hostInfo } from './host-state.ts'
import type { App, AppOptions } from './running-app.ts'

type Opening = {
  deps: Deps
  options: AppOptions
  createApp(deps: Deps, options: AppOptions): Promise<App>
  backups: Backups
}

/**
 * Returns an app that offers to restore a backup, where an app was not opened because its database is damaged.
 *
 * Errors: `error` where that has another reason, or there is no backup.
 */
export function openDamaged(opening: Opening, error: unknown): App {
  const { deps, backups } = opening
  const { database } = dataFolderAt(deps.dataDir)
  if (!isAppError(error, 'store/damaged') || error.info.path !== database) throw error
  if (backups.list().length === 0) throw error
  deps.log.write('warn', 'store.damaged', { reason: error.info.reason })
  return createDamagedApp(opening, error.info)
}

/** Returns an app that reports the damage and restores a backup; from then on it forwards to the real app. */
function createDamagedApp(
  { deps, options, createApp, backups }: Opening,
  damage: Omit<RecordDamage, 'backups'>,
): App {
  const events = createBroadcast<HostEvent>()
  const opened = Promise.withResolvers<App>()
  let { openPath } = options
  let app: App | undefined
  let real: Api | undefined
  let restoring: Promise<App> | undefined

  const info = (): HostInfo => {
    const { path, reason } = damage
    return hostInfo(deps, options, { openPath: null, damage: { path, reason, backups: backups.list() } })
  }

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
      const { contract } = await import('../../shared/contract/index.ts')
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
        if (kind === 'stream') return createBroadcast<never>().subscribe(context.signal)
        return Promise.reject(
          new AppError({ code: 'store/damaged', path: damage.path, reason: damage.reason }),
        )
      },
    ]
  })
  // Entry by entry this is the whole contract.
  return Object.fromEntries(methods) as Api
}

function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = new Promise<undefined>((done) => {
    signal.addEventListener('abort', () => done(undefined), { once: true })
  })
  return Promise.race([work, aborted])
}
