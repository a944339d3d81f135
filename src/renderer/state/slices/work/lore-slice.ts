import type { LoreCandidate, LoreEntry, LoreSettings } from '../../../../shared/domain/work/lore.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** The lore entries of the open work, as their files have them. */
export type LoreSlice = {
  entries: LoreEntry[]
  /** Materials that are no entries. */
  candidates: LoreCandidate[]
  refresh(): Promise<void>
  /** Writes settings into a material's file; returns false where that failed. */
  update(path: string, patch: Partial<LoreSettings>): Promise<boolean>
}

export function createLoreSlice({ client, get, patch }: SliceContext): LoreSlice {
  let asked = 0
  return {
    entries: [],
    candidates: [],

    async refresh() {
      const workId = get().work.current?.workId
      const mine = ++asked
      if (workId === undefined) return patch('lore', { entries: [], candidates: [] })
      try {
        const listed = await client['lore.list']({ workId })
        if (mine === asked) patch('lore', listed)
      } catch (error) {
        if (mine === asked) get().ui.toastError(infoOf(error))
      }
    },

    async update(path, settings) {
      const workId = get().work.current?.workId
      if (workId === undefined) return false
      try {
        await get().documents.flush(path)
        await client['lore.update']({ workId, path, patch: settings })
      } catch (error) {
        get().ui.toastError(infoOf(error))
        return false
      }
      await get().lore.refresh()
      await get().preview.refresh()
      return true
    },
  }
}
