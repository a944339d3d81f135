import type { LoreService } from '../lore/lore-service.ts'
import type { SummaryService } from '../lore/summaries/summary-service.ts'
import type { WorkRepository } from '../store/work-repository.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import type { DraftLore } from './draft-lore.ts'

const stateKey = 'draft.lore'

/** Gives drafting access to a work's lore and summaries. A work without materials never loads their services. */
export function createDraftLore(parts: {
  works: Pick<WorkService, 'get' | 'manuscripts'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
  load: () => Promise<Pick<LoreService, 'match'>>
  loadSummaries: () => Promise<Pick<SummaryService, 'story'>>
}): DraftLore {
  const { works, state, load, loadSummaries } = parts
  const hasMaterial = (workId: string) => works.get(workId).files.some(({ kind }) => kind === 'material')
  return {
    async match(workId, scan) {
      return hasMaterial(workId) ? (await load()).match(workId, scan) : null
    },
    state: (workId) => state.getState(workId, stateKey),
    setState: (workId, next) => state.setState(workId, stateKey, next),
    async story(prepared) {
      const { workId, path } = prepared.request
      const paths = works.manuscripts(workId).map((file) => file.path)
      const before = paths.slice(0, Math.max(0, paths.indexOf(path)))
      if (before.length === 0) return null
      const source = hasMaterial(workId) ? await (await loadSummaries()).story(workId, path) : null
      const { earlierEpisodes } = await import('./draft-story.ts')
      return {
        ...(source ?? { episodes: [], whole: null, unread: [] }),
        earlier: earlierEpisodes(prepared, before),
        textOf: (episode) => prepared.files.find((file) => file.path === episode)?.text,
      }
    },
  }
}
