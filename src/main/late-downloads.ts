import { join } from 'node:path'
import type { catalogueContract } from '../shared/contract/catalogue.ts'
import type { ApiOf } from '../shared/contract/method.ts'
import type { Deps } from './deps.ts'
import type { ModelDownloads } from './models/catalogue/model-downloads.ts'
import type { ModelService } from './models/model-service.ts'

/** The downloads of models, loaded when something first asks for the catalogue. */
export type LateDownloads = {
  /** Loads the downloads. Errors: those of a broken installation; the next call tries again. */
  load(): Promise<ApiOf<typeof catalogueContract>>
  /** Pauses running downloads: after the next start the user can continue them. */
  close(): Promise<void>
}

export function createLateDownloads(input: {
  deps: Deps
  models: Pick<ModelService, 'profiles' | 'removeProfile'>
}): LateDownloads {
  const { deps, models } = input
  let loading: Promise<ModelDownloads> | undefined

  async function make(): Promise<ModelDownloads> {
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
  }

  return {
    async load() {
      loading ??= make().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      const downloads = await loading
      return {
        'catalogue.watch': (_input, { signal }) => downloads.watch(signal),
        'download.start': async ({ modelId, areTermsAccepted }) => {
          downloads.start(modelId, areTermsAccepted)
          return {}
        },
        'download.pause': async ({ modelId }) => {
          await downloads.pause(modelId)
          return {}
        },
        'download.cancel': async ({ modelId }) => {
          await downloads.cancel(modelId)
          return {}
        },
        'download.remove': async ({ modelId }) => {
          await downloads.remove(modelId)
          return {}
        },
      }
    },
    async close() {
      const downloads = await loading?.catch(() => undefined)
      await downloads?.dispose()
    },
  }
}
