import { join } from 'node:path'
import { z } from 'zod'
import { RewritePreset } from '../shared/domain/drafting/rewrite.ts'
import { onFirstUse } from '../shared/first-use.ts'
import type { AppApiParts } from './api/app-api.ts'
import type { Deps } from './deps.ts'
import { createDocumentService } from './documents/document-service.ts'
import { createLocalHistory } from './documents/local-history.ts'
import { createDraftService } from './drafting/draft-service.ts'
import { DraftWords, readByLanguage } from './drafting/draft-words.ts'
import { createDraftWorks } from './drafting/draft-works.ts'
import { createEndlessDrafts } from './drafting/endless-drafts.ts'
import { createPendingPlaces } from './drafting/takes/pending-places.ts'
import { createTakeService } from './drafting/takes/take-service.ts'
import { createLateDownloads, createLateSessions, createMemory } from './late-services.ts'
import { createHostState } from './lifecycle/host-state.ts'
import type { App, AppOptions } from './lifecycle/running-app.ts'
import { createModels } from './models/create-models.ts'
import { makeDataFolder } from './platform/files/data-folder.ts'
import { nodeDisk } from './platform/files/disk.ts'
import { createFileWatcher } from './platform/files/file-watcher.ts'
import { createRunRegistry } from './runs/run-registry.ts'
import { createSettingsService, createWindowLanguage } from './settings/settings-service.ts'
import { createWorkSettingsService } from './settings/work-settings-service.ts'
import { readStarterCatalogue } from './starter/starter-catalogue.ts'
import { createStarterService } from './starter/starter-service.ts'
import { noteHost } from './store/app/setting-repository.ts'
import { createBackups, keepBackups } from './store/database/backups.ts'
import { createDamageNotice } from './store/database/stored-rows.ts'
import { openStore } from './store/store.ts'
import { createChangeSets } from './workspace/apply-change-set.ts'
import { createCheckpointStore } from './workspace/checkpoint-store.ts'
import { createWorkService } from './workspace/work/work-service.ts'

/**
 * Creates and connects the services: the only place that knows all of them.
 *
 * Errors: `store/damaged`, `store/newer`.
 */
export async function createApp(deps: Deps, options: AppOptions): Promise<App> {
  const { clock, random, log, hostId } = deps
  const disk = options.disk ?? nodeDisk
  const folder = await makeDataFolder(deps.dataDir)
  const state = createHostState(deps, options)
  const { notify } = state
  const onDamaged = createDamageNotice(log, notify)
  const store = openStore(folder.database, { clock, random, onDamaged })

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
  const leftDocuments = store.unsaved.takeLeftovers().map(({ file }) => file)

  const watcher = createFileWatcher({ clock, disk, log })
  const history = createLocalHistory({ clock, repository: store.history })
  const { unsaved } = store
  const documents = createDocumentService({ ...deps, disk, watcher, history, unsaved })
  const takes = createTakeService(store.takes)
  const removed = onFirstUse(async () => {
    const { createRemovedFiles } = await import('./workspace/work/removed-files.ts')
    return createRemovedFiles({ disk, changeSets, journal, checkpoints, history })
  })
  const works = createWorkService({
    ...deps,
    disk,
    endedHosts,
    watcher,
    works: store.works,
    changeSets,
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
    models,
  })

  const runs = createRunRegistry({ clock, log })
  runs.onChange((run) => store.runs.record(run))
  runs.onChange(({ error }) => models.noteEnd(error))
  takes.keepInterrupted(store.runs.interruptLeftovers(clock.now()))
  const places = createPendingPlaces(log, takes.place)
  const draftWorks = createDraftWorks({ works, documents, state: store.works })
  const words = await readByLanguage(deps.resourcesDir, 'draft-words', DraftWords)
  const rewrites = () => readByLanguage(deps.resourcesDir, 'rewrites', z.array(RewritePreset))
  const windowLanguage = createWindowLanguage(settings, deps, options)
  const finding = onFirstUse(async () => {
    const { createFindService } = await import('./find/find-service.ts')
    return createFindService({ random, works, documents })
  })
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
    ...deps,
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
    ...deps,
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
  await state.recovered(carriedOut, leftDocuments, sessions.noteLeftFiles)

  works.onRenamed('now', store.takes.movePath)
  works.onRenamed('now', runs.movePath)
  works.onRenamed('now', endless.movePath)
  works.onRenamed('after', memory.renamed)
  const backups = keepBackups(createBackups(folder.database, folder.backups, clock), deps)

  const parts: Omit<AppApiParts, 'unsent'> = {
    host: {
      state,
      heardLanguage: windowLanguage.heard,
      expectWindow: () => expectWindow(),
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
    drafts: {
      drafts,
      endless,
      words,
      rewrites,
      activeModel: models.active,
      runs,
      takes,
      places,
      works: draftWorks,
    },
    sessions: async () => (await sessions.load()).api,
  }
  const load = onFirstUse(async () => {
    const [{ createAppApi }, unsent] = await Promise.all([import('./api/app-api.ts'), sessions.unsent()])
    return createAppApi({ ...parts, unsent })
  })

  // The requests of the window report failures.
  const expectWindow = () => void Promise.allSettled([load(), sessions.load()])
  const removeLeftovers = async () => {
    const late = await import('./lifecycle/remove-leftovers.ts')
    return late.removeLeftovers({
      ...deps,
      disk,
      endedHosts,
      changeSets,
      removed,
      starter,
      sessions,
      leftDocuments,
    })
  }

  return {
    load,
    expectWindow,
    starter,
    handOver: state.handOver,
    hasUnsavedWork: () => documents.hasUnsaved(),
    flush: () => documents.saveAll(),
    begin(wanted) {
      backups.begin()
      const checkingModel = starter.start(wanted, settings.get().mainProfileId)
      state.inBackground([load(), checkingModel, removeLeftovers()])
    },
    onRun: runs.onChange,
    async close() {
      backups.end()
      state.closing()
      await runs.close()
      await sessions.close()
      places.close()
      await documents.close()
      works.close()
      await starter.dispose()
      await downloads.close()
      await models.dispose()
      watcher.close()
      state.end()
      store.close()
    },
  }
}
