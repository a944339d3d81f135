import { isAppError } from '../shared/errors.ts'
import type { DraftLore } from './drafting/draft-lore.ts'
import { createDraftLore } from './drafting/work-lore.ts'
import type { createMemoryServices, MemoryParts } from './late-memory.ts'

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
  /** Notes that a window renamed a file. The file has its new name, also where its summaries cannot follow it. */
  const renamed = async (workId: string, from: string, to: string): Promise<void> => {
    try {
      await (await load()).summaries.moveEpisode(workId, from, to)
    } catch (error) {
      if (!isAppError(error)) throw error
      parts.deps.log.write('warn', 'summary.not-moved', { from, to, code: error.info.code })
    }
  }
  return { drafting, renamed, load: async () => (await load()).api }
}
