import type { LoreService } from '../lore/lore-service.ts'
import type { WorkRepository } from '../store/work-repository.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import type { DraftLore } from './draft-lore.ts'

const stateKey = 'draft.lore'

/** What drafting knows of a work's lore. A work without materials never loads the service. */
export function createDraftLore(parts: {
  works: Pick<WorkService, 'get'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
  load: () => Promise<Pick<LoreService, 'match'>>
}): DraftLore {
  const { works, state, load } = parts
  return {
    async match(workId, scan) {
      if (!works.get(workId).files.some(({ kind }) => kind === 'material')) return null
      return (await load()).match(workId, scan)
    },
    state: (workId) => state.getState(workId, stateKey),
    setState: (workId, next) => state.setState(workId, stateKey, next),
  }
}
