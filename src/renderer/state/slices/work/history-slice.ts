import type { HistoryEntry, RemovedFile } from '../../../../shared/domain/work/history-entry.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { tried } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

const initial = {
  /** Snapshots of the active file, newest first; null until they were asked for. */
  entries: null as HistoryEntry[] | null,
  compared: null as { entry: HistoryEntry; text: string } | null,
  error: null as ErrorInfo | null,
}

export function createHistorySlice(context: SliceContext) {
  const { client, get, patch, editor } = context

  const activeId = () => get().documents.byPath[get().documents.activePath ?? '']?.documentId ?? null
  const attempt = async (task: (documentId: string) => Promise<unknown>) => {
    const documentId = activeId()
    if (documentId !== null) await tried(patch, 'history', () => task(documentId))
  }

  return {
    ...initial,

    load: () =>
      attempt(async (documentId) => {
        const { entries } = await client['history.list']({ documentId })
        // The answer may come after another file is shown.
        if (activeId() === documentId) patch('history', { entries: entries.toSorted((a, b) => b.at - a.at) })
      }),
    compare: (entry: HistoryEntry) =>
      attempt(async (documentId) => {
        const { text } = await client['history.read']({ documentId, entryId: entry.id })
        if (activeId() === documentId) patch('history', { compared: { entry, text } })
      }),
    closeCompared: () => patch('history', { compared: null }),
    async restore(entryId: string) {
      await attempt(async (documentId) => {
        await client['history.restore']({ documentId, entryId })
        patch('history', { compared: null })
        get().ui.toast({ key: 'toast.restored' })
        editor.current?.focus()
      })
      await get().history.load()
    },
    async snapshot() {
      await attempt((documentId) => client['history.snapshot']({ documentId }))
      await get().history.load()
    },
    clear() {
      patch('history', initial)
      if (get().ui.tab === 'history') void get().history.load()
    },
  }
}

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
    return workId !== undefined && tried(patch, 'removed', () => task(workId))
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
    /** Restores a removed file; returns false where that failed. */
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
