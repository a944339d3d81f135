import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Shell as ElectronShell, SafeStorage, utilityProcess } from 'electron'
import type { Deps, HostNotice } from '../src/main/deps.ts'
import type { App } from '../src/main/lifecycle/running-app.ts'
import { openApp } from '../src/main/open-app.ts'
import { systemClock } from '../src/main/platform/clock.ts'
import type { DataFolder } from '../src/main/platform/files/data-folder.ts'
import { lockDataFolder } from '../src/main/platform/files/data-folder-lock.ts'
import { createDisk, type FileSystem } from '../src/main/platform/files/disk.ts'
import { createFileLog } from '../src/main/platform/log.ts'
import { systemRandom } from '../src/main/platform/random.ts'
import { appOrigin } from './app-page.ts'
import { createSpawnWorker } from './engine-process.ts'
import type { LaunchRequest } from './launch-arguments.ts'
import { createNativeShell } from './native-shell.ts'
import type { Questions } from './questions.ts'
import { openSecretStore } from './secret-store.ts'

/** Source: what `getLlama` of node-llama-cpp 3.21.1 forks. */
const binaryTestFile = 'node_modules/node-llama-cpp/dist/bindings/utils/testBindingBinary.js'

/** The user's disk without Electron's archive support: a user's `.asar` file is a plain file. */
const withoutArchives: FileSystem = createRequire(import.meta.url)('original-fs')
const usersDisk = createDisk(withoutArchives)

export type Host =
  | { kind: 'open'; app: App; deps: Deps; close(): Promise<void> }
  /** Another host already had the data folder; it handles the request. */
  | { kind: 'elsewhere'; address: string }

/** Opens the data folder and its services. Errors: `host/in-use`, `store/damaged`, `store/newer`. */
export async function openHost(options: {
  request: LaunchRequest
  folder: DataFolder
  version: string
  locale: string
  /** Absolute folder of the built main bundles. */
  bundlesDir: string
  /** Absolute folder of the app's package: of its sources, or its archive. */
  appDir: string
  resourcesDir: string
  safeStorage: Pick<
    SafeStorage,
    'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
  >
  electronShell: Pick<ElectronShell, 'showItemInFolder'>
  pick: Questions['pick']
  notify(notice: HostNotice): void
  fork: typeof utilityProcess.fork
  /** Opens the paths that another start, of either host, was asked to open. */
  onHandOver(paths: string[]): void
}): Promise<Host> {
  const { request, folder } = options
  const dataDir = folder.root
  const hostId = systemRandom.id()
  const lock = await lockDataFolder({
    dataDir,
    hostId,
    request: { paths: request.paths },
    onHandOver: ({ paths }) => options.onHandOver(paths),
  })
  if (lock.kind === 'handed-over') return { kind: 'elsewhere', address: lock.address }

  const log = createFileLog({
    folder: folder.logs,
    random: systemRandom,
    isVerbose: request.isVerbose,
    ...(request.isVerbose ? { echo: (line: string) => process.stderr.write(line) } : {}),
  })
  const secrets = await openSecretStore({
    safeStorage: options.safeStorage,
    platform: process.platform,
    dataDir,
    hostId,
    random: systemRandom,
  })
  const deps: Deps = {
    clock: systemClock,
    random: systemRandom,
    log,
    fetch: globalThis.fetch,
    shell: createNativeShell(options.electronShell, secrets, options.pick, options.notify),
    spawnWorker: createSpawnWorker({
      fork: options.fork,
      entries: {
        engine: join(options.bundlesDir, 'engine.js'),
        download: join(options.bundlesDir, 'download.js'),
      },
      binaryTest: join(options.appDir, binaryTestFile),
      env: process.env,
    }),
    modelHub: process.env.HF_ENDPOINT,
    resourcesDir: options.resourcesDir,
    dataDir,
    locale: request.language ?? options.locale,
    hostId,
  }
  const app = await openApp(deps, { version: options.version, openPath: null, disk: usersDisk })
  lock.announce(`${appOrigin}/`)
  return {
    kind: 'open',
    app,
    deps,
    async close() {
      await app.close()
      await lock.release()
      log.close()
    },
  }
}
