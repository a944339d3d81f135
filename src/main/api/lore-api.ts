import type { Api } from '../../shared/contract/index.ts'
import type { loreContract } from '../../shared/contract/lore.ts'
import type { IdleSummaries } from '../../shared/domain/lore/episode-summary.ts'
import type { CheckEvent, Mentions } from '../../shared/domain/lore/mentions.ts'
import type { AnswerEvent } from '../../shared/domain/work/quotation.ts'
import type { LoreExchange } from '../lore/exchange/exchange-service.ts'
import type { LoreService } from '../lore/lore-service.ts'
import type { SummaryService } from '../lore/summaries/summary-service.ts'

/** Lore entries and summaries of a work. */
export function createLoreApi(
  lore: LoreService,
  summaries: SummaryService,
  exchange: LoreExchange,
  mentions: (workId: string, keys: readonly string[]) => Promise<Mentions>,
  check: (workId: string, path: string, signal: AbortSignal) => AsyncGenerator<CheckEvent>,
  answer: (workId: string, question: string, signal: AbortSignal) => AsyncGenerator<AnswerEvent>,
  whileIdle: (workId: string, signal: AbortSignal) => AsyncGenerator<IdleSummaries>,
): Pick<Api, keyof typeof loreContract> {
  return {
    'lore.list': async ({ workId }) => {
      const { entries, ...listed } = await lore.list(workId)
      return { ...listed, entries: entries.map(({ text: _, textFrom: __, ...head }) => head) }
    },
    'lore.update': async ({ workId, path, patch }) => ({
      entry: await lore.update(workId, path, patch),
    }),
    'lore.mentions': async ({ workId, keys }) => mentions(workId, keys),
    'lore.check': ({ workId, path }, { signal }) => check(workId, path, signal),
    'lore.answer': ({ workId, question }, { signal }) => answer(workId, question, signal),
    'lore.planImport': async ({ workId, file }) => exchange.plan(workId, file),
    'lore.import': async ({ workId, file, hash }) => ({
      paths: await exchange.importFrom(workId, file, hash),
    }),
    'lore.export': async ({ workId, target }) => exchange.exportTo(workId, target),
    'summary.list': async ({ workId }) => summaries.list(workId),
    'summary.make': ({ workId, targets }, { signal }) => summaries.make(workId, targets, signal),
    'summary.whileIdle': ({ workId }, { signal }) => whileIdle(workId, signal),
    'summary.accept': async ({ workId, place, text, replaces }) => {
      await summaries.accept(workId, place, text, replaces)
      return summaries.list(workId)
    },
    'summary.discard': async ({ workId, place }) => {
      summaries.discard(workId, place)
      return summaries.list(workId)
    },
  }
}
