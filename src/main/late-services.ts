import { join } from 'node:path'
import type { ApiOf } from '../shared/contract/method.ts'
import type { catalogueContract } from '../shared/contract/model.ts'
import { done } from './api/done.ts'
import type { Deps } from './deps.ts'
import type { DraftLore } from './drafting/draft-lore.ts'
import { createDraftLore } from './drafting/draft-works.ts'
import type { SummaryService } from './lore/summaries/summary-service.ts'
import type { createMemoryServices, MemoryParts } from './memory-services.ts'
import type { ModelService } from './models/model-service.ts'
import { namesIn } from './platform/files/disk.ts'
import type { SessionPartsInput } from './session-parts.ts'
import type { UnsentMessages } from './sessions/unsent-messages.ts'
import type { Store } from './store/store.ts'
import type { AppliedChangeSet } from './workspace/apply-change-set.ts'

/** Creates lore and summaries of works, whose services are loaded at their first use. */
export function createMemory(parts: MemoryParts) {
  let services: Promise<ReturnType<typeof createMemoryServices>> | undefined
  const load = () =>
    (services ??= import('./memory-services.ts').then((late) => late.createMemoryServices(parts)))
  const drafting: DraftLore = createDraftLore({
    ...parts,
    load: async () => (await load()).lore,
    loadSummaries: async () => (await load()).summaries,
  })
  return {
    drafting,
    load: async () => (await load()).api,
    renamed: async (...moved: Parameters<SummaryService['renamed']>) =>
      (await load()).summaries.renamed(...moved),
  }
}

/** Loads something once. After a failure, which the caller of `load` gets, the next call tries again. */
function createLateLoader<T>(make: () => Promise<T>) {
  let loading: Promise<T> | undefined
  return {
    load() {
      loading ??= make().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      return loading
    },
    /** Returns what is loaded or being loaded; undefined where there is nothing, or the loading fails. */
    ifLoading: async () => loading?.catch(() => undefined),
  }
}

/**
 * The downloads of models, loaded when something first asks for the catalogue.
 *
 * Errors: `load` has those of a broken installation.
 */
export function createLateDownloads(input: {
  deps: Deps
  models: Pick<ModelService, 'profiles' | 'removeProfile'>
}) {
  const { deps, models } = input
  const late = createLateLoader(async () => {
    const { createModelDownloads } = await import('./models/catalogue/model-downloads.ts')
    const { readCatalogue } = await import('./models/catalogue/catalogue-list.ts')
    return createModelDownloads({
      deps,
      modelsDir: join(deps.dataDir, 'models'),
      catalogue: await readCatalogue(deps.resourcesDir, deps.dataDir),
      async forget(file) {
        const uses = models.profiles().filter((one) => one.backend === 'embedded' && one.file === file)
        for (const { id } of uses) await models.removeProfile(id)
      },
    })
  })

  return {
    async load(): Promise<ApiOf<typeof catalogueContract>> {
      const downloads = await late.load()
      return {
        'catalogue.watch': (_input, { signal }) => downloads.watch(signal),
        'download.start': done(({ modelId, areTermsAccepted }) => downloads.start(modelId, areTermsAccepted)),
        'download.pause': done(({ modelId }) => downloads.pause(modelId)),
        'download.cancel': done(({ modelId }) => downloads.cancel(modelId)),
        'download.remove': done(({ modelId }) => downloads.remove(modelId)),
      }
    },
    /** Pauses running downloads: after the next start the user can continue them. */
    close: async () => (await late.ifLoading())?.dispose(),
  }
}

/**
 * Folders in which hosts can have left something: a killed host its notes of running commands and the files of
 * speculations; any host images that nothing may name any more.
 */
const leftoverFolders = ['commands', 'overlays', 'images']

/**
 * Sessions and what belongs to them, loaded when something first needs them.
 *
 * Errors: `load` and `unsent` have those of a broken installation.
 */
export function createLateSessions(input: Omit<SessionPartsInput, 'store' | 'unsent'> & { store: Store }) {
  const { clock, random } = input.deps
  let unsent: UnsentMessages | undefined

  async function loadUnsent(): Promise<UnsentMessages> {
    const [{ createUnsentMessages }, { unsentMessages }] = await Promise.all([
      import('./sessions/unsent-messages.ts'),
      input.store.sessionStore(),
    ])
    unsent ??= createUnsentMessages({ clock, repository: unsentMessages })
    return unsent
  }

  const late = createLateLoader(async () => {
    const [{ createSessionParts }, sessionStore, unsentMessages] = await Promise.all([
      import('./session-parts.ts'),
      input.store.sessionStore(),
      loadUnsent(),
    ])
    const store = { ...input.store, ...sessionStore }
    return createSessionParts({ ...input, store, unsent: unsentMessages })
  })

  return {
    load: late.load,
    unsent: loadUnsent,
    /** Notes in their sessions which files were left alone when this start carried out committed change sets. */
    async noteLeftFiles(carriedOut: readonly AppliedChangeSet[]): Promise<void> {
      if (carriedOut.every(({ conflicts }) => conflicts.length === 0)) return
      const [{ noteLeftFiles }, { sessions }] = await Promise.all([
        import('./sessions/left-files.ts'),
        input.store.sessionStore(),
      ])
      noteLeftFiles({ clock, random, repository: sessions }, carriedOut)
    },
    /** Loads the sessions where a killed host has left something that loading removes. */
    async removeLeftovers(): Promise<void> {
      const { dataDir } = input.deps
      const names = await Promise.all(leftoverFolders.map((name) => namesIn(join(dataDir, name))))
      if (names.flat().length > 0) await (await late.load()).removeLeftovers()
    },
    /** Closes the sessions, also those that are being loaded. */
    async close(): Promise<void> {
      const sessions = await late.ifLoading()
      await sessions?.close()
      unsent?.close()
    },
  }
}
