import type { HistoryEntry, RemovedFile } from '../../../../shared/domain/work/history-entry.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** The version of a removed file that is shown. `entryId` null: as it was removed. */
type ShownRemoved = {
  removedId: string
  entries: HistoryEntry[]
  entryId: string | null
  text: string
}

/** The bin of the open work. */
export function createRemovedSlice({ client, get, patch }: SliceContext) {
  let asked = 0

  const attempt = async (task: (workId: string) => Promise<void>): Promise<boolean> => {
    const workId = get().work.current?.workId
    if (workId === undefined) return false
    try {
      await task(workId)
      patch('removed', { error: null })
      return true
    } catch (error) {
      patch('removed', { error: infoOf(error) })
      return false
    }
  }

  return {
    files: [] as RemovedFile[],
    shown: null as ShownRemoved | null,
    error: null as ErrorInfo | null,

    async load() {
      await attempt(async (workId) => {
        const { files } = await client['work.removed']({ workId })
        if (get().work.current?.workId === workId) patch('removed', { files })
      })
    },
    async show(removedId: string, entryId: string | null) {
      const mine = ++asked
      await attempt(async (workId) => {
        const { entries } = await client['work.removedHistory']({ workId, removedId })
        const { text } = await client['work.readRemoved']({ workId, removedId, entryId })
        if (mine === asked) patch('removed', { shown: { removedId, entries, entryId, text } })
      })
    },
    /** False where it failed. */
    async restore(removedId: string) {
      const isDone = await attempt(async (workId) => {
        const { path } = await client['work.restoreRemoved']({ workId, removedId })
        get().documents.goTo(path)
        get().ui.toast({ key: 'removed.done', values: { path } })
      })
      await get().removed.load()
      return isDone
    },
    clear() {
      asked += 1
      patch('removed', { shown: null, error: null })
    },
  }
}
