import { join } from 'node:path'
import { createLateLoader } from '../shared/first-use.ts'
import type { Deps } from './deps.ts'
import type { DraftLore } from './drafting/draft-lore.ts'
import { createDraftLore } from './drafting/draft-works.ts'
import type { SummaryService } from './lore/summaries/summary-service.ts'
import type { MemoryParts } from './memory-services.ts'
import type { ModelService } from './models/model-service.ts'
import type { SessionPartsInput } from './session-parts.ts'
import type { Store } from './store/store.ts'
import type { AppliedChangeSet } from './workspace/apply-change-set.ts'

/** Creates lore and summaries of works, whose services are loaded at their first use. */
export function createMemory(parts: MemoryParts) {
  const { load } = createLateLoader(async () =>
    (await import('./memory-services.ts')).createMemoryServices(parts),
  )
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
      models,
    })
  })

  return {
    load: late.load,
    /** Pauses running downloads: after the next start the user can continue them. */
    close: async () => (await late.ifLoading())?.dispose(),
  }
}

/**
 * Sessions and what belongs to them, loaded when something first needs them.
 *
 * Errors: `load` and `unsent` have those of a broken installation.
 */
export function createLateSessions(input: Omit<SessionPartsInput, 'store' | 'unsent'> & { store: Store }) {
  const { clock, random } = input.deps
  const unsent = createLateLoader(async () => {
    const [{ createUnsentMessages }, { unsentMessages }] = await Promise.all([
      import('./sessions/unsent-messages.ts'),
      input.store.sessionStore(),
    ])
    return createUnsentMessages({ clock, repository: unsentMessages })
  })

  const late = createLateLoader(async () => {
    const [{ createSessionParts }, sessionStore, unsentMessages] = await Promise.all([
      import('./session-parts.ts'),
      input.store.sessionStore(),
      unsent.load(),
    ])
    const store = { ...input.store, ...sessionStore }
    return createSessionParts({ ...input, store, unsent: unsentMessages })
  })

  return {
    load: late.load,
    unsent: unsent.load,
    /** Notes in their sessions which files were left alone when this start carried out committed change sets. */
    async noteLeftFiles(carriedOut: readonly AppliedChangeSet[]): Promise<void> {
      const [{ noteLeftFiles }, { sessions }] = await Promise.all([
        import('./sessions/left-files.ts'),
        input.store.sessionStore(),
      ])
      noteLeftFiles({ clock, random, repository: sessions }, carriedOut)
    },
    /** Closes the sessions, also those that are being loaded. */
    async close(): Promise<void> {
      await (await late.ifLoading())?.close()
      ;(await unsent.ifLoading())?.close()
    },
  }
}
