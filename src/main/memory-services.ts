import type { Api } from '../shared/contract/index.ts'
import type { loreContract } from '../shared/contract/lore.ts'
import type { Quotations } from '../shared/domain/work/find.ts'
import { done } from './api/done.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import { readByLanguage } from './drafting/draft-words.ts'
import type { TakeService } from './drafting/takes/take-service.ts'
import { answerQuestion } from './lore/answer-question.ts'
import { MemoryWords, type ModelForLore } from './lore/ask-model.ts'
import { checkChapter } from './lore/check/chapter-check.ts'
import { createLoreExchange } from './lore/exchange/exchange-service.ts'
import { createLoreService } from './lore/lore-service.ts'
import { findMentions } from './lore/mentions.ts'
import { createIdleSummaries } from './lore/summaries/idle-summaries.ts'
import { createSummaryService } from './lore/summaries/summary-service.ts'
import type { Disk } from './platform/files/disk.ts'
import type { RunRegistry } from './runs/run-registry.ts'
import type { WorkRepository } from './store/works/work-repository.ts'
import type { WorkService } from './workspace/work/work-service.ts'

export type MemoryParts = {
  deps: Deps
  disk: Disk
  works: WorkService
  documents: DocumentService
  state: WorkRepository
  takes: TakeService
  runs: RunRegistry
  activeModel: ModelForLore
  windowLanguage: () => 'ja' | 'en'
  /** Finds places that share words with a question, without any model. */
  ask: (workId: string, question: string) => Promise<Quotations>
}

/** Creates lore and summaries, with their API for windows. */
export function createMemoryServices(parts: MemoryParts) {
  const { deps, disk, works, documents, state, takes, runs, activeModel, windowLanguage, ask } = parts
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
  const summaries = createSummaryService({ ...asking, clock, state, takes })
  const exchange = createLoreExchange({ disk, random, hostId, works, list: lore.list })
  const whileIdle = createIdleSummaries({ ...asking, clock, summaries, isWriting: () => runs.isBusy() })
  const api: Pick<Api, keyof typeof loreContract> = {
    'lore.list': ({ workId }) => lore.heads(workId),
    'lore.update': async ({ workId, path, patch }) => ({ entry: await lore.update(workId, path, patch) }),
    'lore.mentions': ({ workId, keys }) => findMentions({ works, documents }, workId, keys),
    'lore.check': ({ workId, path }, { signal }) =>
      checkChapter({ ...asking, list: lore.list }, workId, path, signal),
    'lore.answer': ({ workId, question }, { signal }) =>
      answerQuestion({ ...asking, ask }, workId, question, signal),
    'lore.planImport': async ({ workId, file }) => exchange.plan(workId, file),
    'lore.import': async ({ workId, file, hash }) => ({
      paths: await exchange.importFrom(workId, file, hash),
    }),
    'lore.export': async ({ workId, target }) => exchange.exportTo(workId, target),
    'summary.list': async ({ workId }) => summaries.list(workId),
    'summary.make': ({ workId, targets }, { signal }) => summaries.make(workId, targets, signal),
    'summary.whileIdle': ({ workId }, { signal }) => whileIdle(workId, signal),
    'summary.edit': done(({ workId, takeId, text }) => summaries.edit(workId, takeId, text)),
    'summary.accept': done(({ workId, takeId, text, replaces }) =>
      summaries.accept(workId, takeId, text, replaces),
    ),
    'summary.discard': done(({ workId, takeId }) => summaries.discard(workId, takeId)),
    'summary.offer': done(({ workId, takeId }) => summaries.offer(workId, takeId)),
  }
  return { lore, summaries, api }
}
