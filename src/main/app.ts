import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Api } from '../shared/contract/index.ts'
import type { HostEvent } from '../shared/domain/app/host-info.ts'
import { RewritePreset } from '../shared/domain/drafting/rewrite.ts'
import type { Run } from '../shared/domain/drafting/run.ts'
import { onFirstUse } from '../shared/first-use.ts'
import type { AppApiParts, Offer } from './api/app-api.ts'
import type { Deps } from './deps.ts'
import { createDocumentService } from './documents/document-service.ts'
import { createLocalHistory } from './documents/local-history.ts'
import { createDraftService } from './drafting/draft-service.ts'
import { DraftWords, readByLanguage } from './drafting/draft-words.ts'
import { createDraftWorks } from './drafting/draft-works.ts'
import { createEndlessDrafts } from './drafting/endless-drafts.ts'
import { createPendingPlaces } from './drafting/takes/pending-places.ts'
import { createTakeService } from './drafting/takes/take-service.ts'
import type { FindService } from './find/find-service.ts'
import { createLateDownloads, createLateSessions, createMemory } from './late-services.ts'
import { createModels } from './models/create-models.ts'
import { createBroadcast } from './platform/broadcast.ts'
import { sweepTempFiles } from './platform/files/atomic-file.ts'
import { makeDataFolder } from './platform/files/data-folder.ts'
import { type Disk, nodeDisk } from './platform/files/disk.ts'
import { toFileError } from './platform/files/file-error.ts'
import { createFileWatcher } from './platform/files/file-watcher.ts'
import { createRunRegistry } from './runs/run-registry.ts'
import { createSettingsService, createWindowLanguage } from './settings/settings-service.ts'
import { createWorkSettingsService } from './settings/work-settings-service.ts'
import { readStarterCatalogue } from './starter/starter-catalogue.ts'
import { createStarterService, type StarterService } from './starter/starter-service.ts'
import { noteHost } from './store/app/setting-repository.ts'
import { createBackups, keepBackups } from './store/database/backups.ts'
import { createDamageNotice } from './store/database/stored-rows.ts'
import { openStore } from './store/store.ts'
import { createChangeSets } from './workspace/apply-change-set.ts'
import { createCheckpointStore } from './workspace/checkpoint-store.ts'
import type { RemovedFiles } from './workspace/work/removed-files.ts'
import { createWorkService } from './workspace/work/work-service.ts'

/** Time for which a change of files can be undone. Units: ms. */
const undoKeptMs = 30 * 24 * 60 * 60_000

export type AppOptions = {
  version: string
  /** Path from the command line, to be opened by the first window. */
  openPath: string | null
  /** True where `deps.locale` is what the user asked for on the command line. */
  isLocaleChosen?: boolean
  /** Absent: Node's own. Tests pass one that fails. */
  disk?: Disk
}

/** The whole product without a window: what a host offers over its pipe, and how it ends. */
export type App = {
  /** Loaded with the first window, or by `begin`. */
  load(): Promise<Offer>
  /** A window is coming: loads what it asks for first while its page is loading. Its requests report failures. */
  expectWindow(): void
  starter: Pick<StarterService, 'watch'>
  /** Tells the windows to open a folder or file that another start was given. */
  handOver(path: string): void
  /** True while something is not on disk yet. */
  hasUnsavedWork(): boolean
  /** Waits for the last save of every document. */
  flush(): Promise<void>
  /**
   * Begins work that no window waits for, once a window can be opened: checks the chosen model (where none is chosen
   * and none is found on this machine, begins with the starter model according to `starter`), and removes what
   * earlier starts left behind. A failure is logged as a bug.
   */
  begin(starter: { isWanted: boolean; starterId: string | null; canInstallPip: boolean }): void
  /** Called when a run starts and when it has ended. */
  onRun(listener: (run: Run) => void): void
  /** Stops runs, saves documents, ends children, closes the store. */
  close(): Promise<void>
}

/**
 * Creates and connects the services: the only place that knows all of them.
 *
 * Errors: `store/damaged`, `store/newer`.
 */
export async function createApp(deps: Deps, options: AppOptions): Promise<App> {
  const { clock, random, log, hostId } = deps
  const disk = options.disk ?? nodeDisk
  const folder = await makeDataFolder(deps.dataDir)
  const events = createBroadcast<HostEvent>()
  const notices: HostEvent[] = []
  const notify = (event: HostEvent) => events.send(event) || notices.push(event)
  const onDamaged = createDamageNotice(log, notify)
  const store = openStore(folder.database, { clock, random, onDamaged })
  let openPath = options.openPath

  const settings = createSettingsService(
    {
      get: () => store.settings.get('app'),
      set: (value) => store.settings.set('app', value),
    },
    log,
  )
  const workSettings = createWorkSettingsService(store.works, settings)

  const checkpoints = createCheckpointStore({ disk, folder: folder.checkpoints, hostId, random })
  // The host is noted before it writes in a user's folder; a start alone writes nothing.
  const endedHosts = onFirstUse(() => noteHost(store.settings, hostId))
  const journal = store.changeSets
  const changeSets = createChangeSets({ disk, clock, random, hostId, journal, checkpoints, endedHosts })
  const carriedOut = await changeSets.recover()
  const leftovers = store.unsaved.takeLeftovers()
  if (carriedOut.length > 0 || leftovers.length > 0) {
    log.write('info', 'host.recovered', { changeSets: carriedOut.length, documents: leftovers.length })
    const files = leftovers.map(({ file }) => file)
    notify({ type: 'recovered', documents: files, changeSets: carriedOut.length })
  }

  const watcher = createFileWatcher({ clock, disk, log })
  const history = createLocalHistory({ clock, repository: store.history })
  const documents = createDocumentService({
    clock,
    random,
    log,
    disk,
    hostId,
    watcher,
    history,
    unsaved: store.unsaved,
  })
  const takes = createTakeService(store.takes)
  let removedFiles: Promise<RemovedFiles> | undefined
  const removed = () =>
    (removedFiles ??= import('./workspace/work/removed-files.ts').then(({ createRemovedFiles }) =>
      createRemovedFiles({ disk, changeSets, journal: store.changeSets, checkpoints, history }),
    ))
  const works = createWorkService({
    clock,
    random,
    log,
    disk,
    hostId,
    endedHosts,
    watcher,
    works: store.works,
    takes: {
      movePath(...moved) {
        // A run that is under way stores its take by the path that it has.
        for (const part of [store.takes, runs, endless]) part.movePath(...moved)
      },
    },
    renamed: (...moved) => memory.renamed(...moved),
    changeSets,
    async listFiles(root, signal) {
      const [{ listFiles }, { ripgrepPath }] = await Promise.all([
        import('./workspace/search/list-files.ts'),
        import('./workspace/search/ripgrep-path.ts'),
      ])
      return listFiles({ disk, rgPath: ripgrepPath() }, root, signal)
    },
    removed,
    texts: documents,
  })

  const models = await createModels({
    deps,
    settings,
    profiles: store.profiles,
    store: store.settings,
    async createEngine(options) {
      const { EngineProcess } = await import('./engine/engine-process.ts')
      return new EngineProcess(deps, options)
    },
  })
  const downloads = createLateDownloads({ deps, models })
  const starter = createStarterService({
    deps,
    modelsDir: join(deps.dataDir, 'models'),
    catalogue: await readStarterCatalogue(deps.resourcesDir),
    async onReady({ file }) {
      // A model that the user chose meanwhile stays in use.
      if (models.status().state === 'none' || models.status().isDemo)
        await models.use({ backend: 'embedded', file })
    },
  })

  const runs = createRunRegistry({ clock, log })
  runs.onChange((run) => store.runs.record(run))
  runs.onChange(({ error }) => models.noteEnd(error))
  takes.keepInterrupted(store.runs.interruptLeftovers(clock.now()))
  const places = createPendingPlaces(log, takes.place)
  const draftWorks = createDraftWorks({ works, documents, state: store.works })
  const words = await readByLanguage(deps.resourcesDir, 'draft-words', DraftWords)
  const nextWords: Api['draft.words'] = async (place, { signal }) =>
    (await import('./drafting/takes/take-words.ts')).nextWordsOf(
      { takes, runs, activeModel: models.active },
      place,
      signal,
    )
  const rewrites = () => readByLanguage(deps.resourcesDir, 'rewrites', z.array(RewritePreset))
  const windowLanguage = createWindowLanguage(settings, deps, options)
  let find: Promise<FindService> | undefined
  const finding = () =>
    (find ??= import('./find/find-service.ts').then(({ createFindService }) =>
      createFindService({ random, works, documents }),
    ))
  const memory = createMemory({
    deps,
    disk,
    works,
    documents,
    state: store.works,
    takes,
    runs,
    activeModel: models.active,
    windowLanguage: windowLanguage.now,
    ask: async (workId, question) => (await finding()).ask(workId, question),
  })
  const drafts = createDraftService({
    clock,
    random,
    log,
    works: draftWorks,
    lore: memory.drafting,
    settings: settings.get,
    activeModel: models.active,
    windowLanguage: windowLanguage.now,
    words,
    workSampler: (workId) => workSettings.get(workId).samplerPresetId,
    sampler: (presetId) => models.presets().find(({ id }) => id === presetId)?.sampler,
    runs,
    store,
    takes,
    places,
  })

  const endless = createEndlessDrafts({
    clock,
    log,
    drafts,
    works: draftWorks,
    settings: settings.get,
    runs,
    places,
  })

  const sessions = createLateSessions({
    deps,
    disk,
    store,
    settings,
    workSettings,
    windowLanguage: windowLanguage.now,
    models,
    works,
    documents,
    watcher,
    changeSets,
    checkpoints,
    notify,
  })
  await sessions.noteLeftFiles(carriedOut)

  /** Removes temporary files of a killed host where it was writing. A folder that is gone has none left. */
  async function sweepFolders(folders: readonly string[]): Promise<void> {
    for (const path of new Set(folders)) {
      try {
        await sweepTempFiles(disk, path, (id) => endedHosts().has(id))
      } catch (error) {
        log.write('warn', 'host.sweep', { code: toFileError(error, path).info.code })
      }
    }
  }

  const parts: Omit<AppApiParts, 'unsent'> = {
    host: {
      info(language) {
        windowLanguage.heard(language)
        expectWindow()
        return {
          version: options.version,
          kind: deps.shell.kind,
          hostId,
          dataDir: deps.dataDir,
          locale: deps.locale,
          isLocaleChosen: options.isLocaleChosen ?? false,
          hasNativePicker: deps.shell.pick !== undefined,
          hasNotices: deps.shell.notify !== undefined,
          openPath,
          damage: null,
        }
      },
      events,
      notices,
      settings,
      shell: deps.shell,
    },
    work: {
      works,
      workSettings,
      sampleDir: join(deps.resourcesDir, 'sample'),
      samplesDir: join(deps.dataDir, 'samples'),
      trustFolder: (root) => store.folderTrust.set(root, true, clock.now()),
      samplePage: async function* (input, { signal }) {
        const { readSamplePage } = await import('./models/demo/sample-page.ts')
        yield* readSamplePage(deps, input, signal)
      },
    },
    async publishing() {
      const { createPublishing } = await import('./publishing/publishing-service.ts')
      return createPublishing({ clock, random, disk, hostId, works, read: documents.read })
    },
    finding,
    memory: memory.load,
    documents: { documents, rootOf: works.rootOf },
    models: { models, starter },
    downloads: downloads.load,
    drafts: { drafts, endless, words, rewrites, nextWords, runs, takes, places, works: draftWorks },
    sessions: async () => (await sessions.load()).api,
  }
  const load = onFirstUse(async () => {
    const [{ createAppApi }, unsent] = await Promise.all([import('./api/app-api.ts'), sessions.unsent()])
    return createAppApi({ ...parts, unsent })
  })

  function expectWindow(): void {
    for (const loading of [load(), sessions.load()]) loading.catch(() => undefined)
  }

  async function startModels(wanted: Parameters<App['begin']>[0]): Promise<void> {
    if (models.profiles().some(({ id }) => id === settings.get().mainProfileId)) return models.refresh()
    if (!wanted.isWanted) return
    const isAsked = wanted.starterId !== null
    if (!isAsked && (await models.discover(new AbortController().signal)).length > 0) return
    starter.begin({ asked: wanted.starterId, mayInstallPip: wanted.canInstallPip })
  }

  let endBackups = (): void => undefined

  async function removeLeftovers(): Promise<void> {
    await sweepFolders(leftovers.map(({ file }) => dirname(file)))
    await changeSets.prune(clock.now() - undoKeptMs)
    const bin = await removed()
    bin.releaseHistories()
    await starter.sweep()
    await sessions.removeLeftovers()
  }

  return {
    load,
    expectWindow,
    starter,
    handOver(path) {
      // Where no window is open, the next one opens the path.
      openPath = path
      events.send({ type: 'open-path', path })
    },
    hasUnsavedWork: () => documents.hasUnsaved(),
    flush: () => documents.saveAll(),
    begin(wanted) {
      endBackups = keepBackups(createBackups(folder.database, folder.backups, clock), deps)
      for (const work of [load(), startModels(wanted), removeLeftovers()]) {
        work.catch((error: unknown) => log.bug(error, 'host.background'))
      }
    },
    onRun: runs.onChange,
    async close() {
      endBackups()
      events.send({ type: 'closing' })
      await runs.close()
      await sessions.close()
      places.close()
      await documents.close()
      works.close()
      await starter.dispose()
      await downloads.close()
      await models.dispose()
      watcher.close()
      events.end()
      store.close()
    },
  }
}
