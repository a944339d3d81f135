import type { Quotations } from '../shared/domain/work/quotation.ts'
import { createLoreApi } from './api/lore-api.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import { readByLanguage } from './drafting/draft-words.ts'
import { answerQuestion } from './lore/answer-question.ts'
import type { ModelForLore } from './lore/ask-model.ts'
import { checkEpisode } from './lore/check/episode-check.ts'
import { createLoreExchange } from './lore/exchange/exchange-service.ts'
import { createLoreService } from './lore/lore-service.ts'
import { MemoryWords } from './lore/memory-words.ts'
import { findMentions } from './lore/mentions.ts'
import { createIdleSummaries } from './lore/summaries/idle-summaries.ts'
import { createSummaryService } from './lore/summaries/summary-service.ts'
import type { Disk } from './platform/files/disk.ts'
import type { RunRegistry } from './runs/run-registry.ts'
import type { WorkRepository } from './store/work-repository.ts'
import type { WorkService } from './workspace/work/work-service.ts'

export type MemoryParts = {
  deps: Deps
  disk: Disk
  works: WorkService
  documents: DocumentService
  state: WorkRepository
  runs: RunRegistry
  activeModel: ModelForLore
  windowLanguage: () => 'ja' | 'en'
  /** Finds places that share words with a question, without any model. */
  ask: (workId: string, question: string) => Promise<Quotations>
}

/** Creates lore and summaries, with their API for windows. */
export function createMemoryServices(parts: MemoryParts) {
  const { deps, disk, works, documents, state, runs, activeModel, windowLanguage, ask } = parts
  const { clock, random, hostId, resourcesDir } = deps
  const lore = createLoreService({ disk, works, documents })
  const asking = {
    random,
    works,
    documents,
    activeModel,
    isWriting: (workId: string) => runs.list(workId).some((run) => run.state === 'running'),
    windowLanguage,
    words: () => readByLanguage(resourcesDir, 'memory-words', MemoryWords),
  }
  const summaries = createSummaryService({ ...asking, clock, state })
  const exchange = createLoreExchange({ disk, random, hostId, works, list: lore.list })
  const mentions = (workId: string, keys: readonly string[]) =>
    findMentions({ works, documents }, workId, keys)
  const check = (workId: string, path: string, signal: AbortSignal) =>
    checkEpisode({ ...asking, list: lore.list }, workId, path, signal)
  const answer = (workId: string, question: string, signal: AbortSignal) =>
    answerQuestion({ ...asking, ask }, workId, question, signal)
  const whileIdle = createIdleSummaries({
    clock,
    works,
    documents,
    summaries,
    activeModel,
    isWriting: () => runs.isBusy(),
  })
  const api = createLoreApi(lore, summaries, exchange, mentions, check, answer, whileIdle)
  return { lore, summaries, api }
}
