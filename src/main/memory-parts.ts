import type { DraftLore } from './drafting/draft-lore.ts'
import { createDraftLore } from './drafting/work-lore.ts'
import type { createMemoryServices, MemoryParts } from './late-memory.ts'
import type { SummaryService } from './lore/summaries/summary-service.ts'

/** Creates lore and summaries of works, whose services are loaded at their first use. */
export function createMemory(parts: MemoryParts) {
  let services: Promise<ReturnType<typeof createMemoryServices>> | undefined
  const load = () =>
    (services ??= import('./late-memory.ts').then((late) => late.createMemoryServices(parts)))
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
