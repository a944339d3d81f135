import type { Api } from '../../shared/contract/index.ts'
import type { loreContract } from '../../shared/contract/lore.ts'
import type { LoreService } from '../lore/lore-service.ts'

/** Lore entries of a work. */
export function createLoreApi(lore: LoreService): Pick<Api, keyof typeof loreContract> {
  return {
    'lore.list': async ({ workId }) => lore.list(workId),
    'lore.update': async ({ workId, path, patch }) => ({
      entry: await lore.update(workId, path, patch),
    }),
  }
}
