import type { HistoryEntry } from '../../../../shared/domain/work/history-entry.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
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
    if (documentId === null) return
    try {
      await task(documentId)
      patch('history', { error: null })
    } catch (error) {
      patch('history', { error: infoOf(error) })
    }
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
