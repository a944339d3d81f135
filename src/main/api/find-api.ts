import type { findContract } from '../../shared/contract/find.ts'
import type { Api } from '../../shared/contract/index.ts'
import type { FindService } from '../find/find-service.ts'

/** Creates the API of finding and replacing in a work; its service is loaded with the first search. */
export function createFindApi(load: () => Promise<FindService>): Pick<Api, keyof typeof findContract> {
  return {
    'work.find': async ({ workId, query, replacement }) => (await load()).find(workId, query, replacement),
    'work.ask': async ({ workId, question }) => (await load()).ask(workId, question),
    'work.replace': async ({ workId, chosen }) => (await load()).replace(workId, chosen),
    'work.undoReplace': async ({ workId, replaceId }) => (await load()).undo(workId, replaceId),
  }
}
