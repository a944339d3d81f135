import type {
  LoreCandidate,
  LoreHead,
  LoreSettings,
  UnreadLore,
} from '../../../../shared/domain/lore/lore.ts'
import type { LoreImportPlan } from '../../../../shared/domain/lore/lore-exchange.ts'
import { shortList } from '../../../../shared/text/paths/shown-paths.ts'
import type { SliceContext } from '../slice.ts'

const nothing = {
  entries: [] as LoreHead[],
  /** The revision that `lore.list` returned last; null before the first list. */
  revision: null as string | null,
  /** Materials that are no entries. */
  candidates: [] as LoreCandidate[],
  unread: [] as UnreadLore[],
}

/** Longest selection that is taken as a name. Units: UTF-16. */
const limitKey = 200

export function createLoreSlice({ client, get, patch, editor, tell, inWork }: SliceContext) {
  let asked = 0
  let listedWork: string | undefined
  return {
    ...nothing,
    /** The preview of an import; null: none is shown. */
    plan: null as LoreImportPlan | null,

    async refresh() {
      const workId = get().work.current?.workId
      const mine = ++asked
      if (workId !== listedWork) patch('lore', nothing)
      listedWork = workId
      if (workId === undefined) return
      try {
        const listed = await client['lore.list']({ workId })
        if (mine === asked) patch('lore', listed)
      } catch (error) {
        if (mine === asked) tell(error)
      }
    },

    /** Lists the entries again where a prompt was made of files of another revision, or of one that is not known. */
    async keepUp(revision: string | null) {
      if (revision === null || revision !== get().lore.revision) await get().lore.refresh()
    },

    /** Shows where the selection appears; without one a name is asked for. */
    openMentions() {
      const key = editor.current?.shownKey() ?? null
      const text = key === null ? '' : (editor.current?.textOf(key) ?? '')
      const { selectionFrom = 0, selectionTo = 0 } = editor.current?.figures() ?? {}
      const selected = text.slice(selectionFrom, Math.min(selectionTo, selectionFrom + limitKey)).trim()
      get().ui.open({ kind: 'mentions', keys: selected === '' || selected.includes('\n') ? [] : [selected] })
    },

    /** Finds keys in the manuscripts; null where that failed, which the user is told. */
    findMentions: (keys: readonly string[]) =>
      inWork(async (workId) => {
        await get().documents.flushAll()
        return client['lore.mentions']({ workId, keys: [...keys] })
      }),

    /** Reads a file and shows what importing it would make. */
    planImport: (file: string) =>
      inWork(async (workId) => {
        patch('lore', { plan: await client['lore.planImport']({ workId, file }) })
        get().ui.open({ kind: 'lore-import' })
      }),
    async runImport() {
      const { plan } = get().lore
      if (get().work.current === null || plan === null) return
      get().ui.close()
      await inWork(async (workId) => {
        const { paths } = await client['lore.import']({ workId, file: plan.file, hash: plan.hash })
        const message = { key: 'toast.loreImported', values: { count: paths.length } } as const
        // In another work that was opened meanwhile, files of these names are other ones.
        if (get().work.current?.workId !== workId) return get().ui.toast(message)
        get().ui.toast(message, { key: 'action.undo', run: () => void get().work.removeFiles(paths) })
      })
      await get().lore.refresh()
      get().preview.invalidate()
    },
    closePlan: () => patch('lore', { plan: null }),
    exportTo: (target: string) =>
      inWork(async (workId) => {
        const { path, count, off, unread } = await client['lore.export']({ workId, target })
        const { toast } = get().ui
        toast({ key: 'toast.loreExported', values: { path, count } })
        const lasting = (key: 'toast.loreExportedOff' | 'toast.loreNotExported', paths: string[]) => {
          if (paths.length > 0)
            toast({ key, values: { count: paths.length, paths: shortList(paths) } }, undefined, true)
        }
        lasting('toast.loreExportedOff', off)
        lasting(
          'toast.loreNotExported',
          unread.map((file) => file.path),
        )
      }),

    /** Writes settings into a material's file; returns false where that failed. */
    async update(path: string, settings: Partial<LoreSettings>) {
      const updated = await inWork(async (workId) => {
        await get().documents.flush(path)
        return client['lore.update']({ workId, path, patch: settings })
      })
      if (updated === null) return false
      await get().lore.refresh()
      await get().preview.refresh()
      return true
    },
  }
}
