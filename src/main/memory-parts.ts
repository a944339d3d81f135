import { loreContract } from '../shared/contract/lore.ts'
import { createLateApi } from './api/late-api.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import type { DraftLore } from './drafting/draft-lore.ts'
import { readByLanguage } from './drafting/draft-words.ts'
import { createDraftLore } from './drafting/work-lore.ts'
import type { LoreService } from './lore/lore-service.ts'
import type { SummaryService } from './lore/summaries/summary-service.ts'
import type { ActiveModel } from './models/profiles/active-model.ts'
import type { Disk } from './platform/files/disk.ts'
import type { RunRegistry } from './runs/run-registry.ts'
import type { WorkRepository } from './store/work-repository.ts'
import type { WorkService } from './workspace/work/work-service.ts'

/** What a work is remembered by: its lore and its summaries, each loaded when it is first asked for. */
export function createMemory(parts: {
  deps: Deps
  disk: Disk
  works: WorkService
  documents: DocumentService
  state: WorkRepository
  runs: RunRegistry
  activeModel: (signal: AbortSignal) => Promise<ActiveModel>
  windowLanguage: () => 'ja' | 'en'
}) {
  const { deps, disk, works, documents, state, runs, activeModel, windowLanguage } = parts
  let lore: Promise<LoreService> | undefined
  const loadLore = () =>
    (lore ??= import('./lore/lore-service.ts').then(({ createLoreService }) =>
      createLoreService({ disk, works, documents }),
    ))

  const words = async () => {
    const { MemoryWords } = await import('./lore/memory-words.ts')
    return readByLanguage(deps.resourcesDir, 'memory-words', MemoryWords)
  }
  const { clock, random } = deps
  let summaries: Promise<SummaryService> | undefined
  const loadSummaries = () =>
    (summaries ??= import('./lore/summaries/summary-service.ts').then(({ createSummaryService }) =>
      createSummaryService({
        clock,
        random,
        works,
        documents,
        state,
        activeModel,
        isWriting: (workId) => runs.list(workId).some((run) => run.state === 'running'),
        windowLanguage,
        words,
      }),
    ))

  const drafting: DraftLore = createDraftLore({ works, state, load: loadLore, loadSummaries })
  const api = createLateApi(loreContract, async () => {
    const [{ createLoreApi }, { createLoreExchange }, loaded, summaryService] = await Promise.all([
      import('./api/lore-api.ts'),
      import('./lore/exchange/exchange-service.ts'),
      loadLore(),
      loadSummaries(),
    ])
    const entries = async (workId: string) => (await loaded.list(workId)).entries
    const exchange = createLoreExchange({ disk, random, hostId: deps.hostId, works, entries })
    const mentions = async (workId: string, keys: readonly string[]) =>
      (await import('./lore/mentions.ts')).findMentions({ works, documents }, workId, keys)
    return createLoreApi(loaded, summaryService, exchange, mentions)
  })
  return { drafting, api }
}
