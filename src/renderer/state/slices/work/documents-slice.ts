import { delay, systemTimers } from '../../../../shared/delay.ts'
import type { DocumentEvent } from '../../../../shared/domain/work/document.ts'
import type { TextPlace } from '../../../../shared/domain/work/work.ts'
import { nearestPlace } from '../../../../shared/text/places/nearest-place.ts'
import type { EditorFigures, SyncState } from '../../../editor/editor-types.ts'
import { type DocumentView, foldDocument, newDocument } from '../../reducers/document-reducer.ts'
import { displayName, firstPath } from '../../reducers/work-reducer.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** Longest wait for a document that is being opened, while the author stays with it. Units: milliseconds. */
const openingMs = 60_000
/** Longest wait for changes of other windows that a place may lie behind. Units: milliseconds. */
const changesMs = 5_000
const tickMs = 50

export function createDocumentsSlice(context: SliceContext) {
  const { client, get, patch, editor, now, tell, attempt } = context
  let count = 0
  let openedPath: string | null = null
  const places = new Map<string, TextPlace>()

  const put = (view: DocumentView, oldPath = view.path) => {
    const byPath = { ...get().documents.byPath }
    if (oldPath !== view.path) delete byPath[oldPath]
    byPath[view.path] = view
    patch('documents', { byPath })
  }
  const change = (path: string, part: Partial<DocumentView>) => {
    const view = get().documents.byPath[path]
    if (view) put({ ...view, ...part })
  }
  const byKey = (key: string) => Object.values(get().documents.byPath).find((view) => view.key === key)

  const flush = async (path: string) => {
    const key = get().documents.byPath[path]?.key
    if (key !== undefined) await editor.current?.flush(key)
  }
  /** Gives the runs, offers and takes of a renamed file its new path. */
  const moveDrafts = (path: string, newPath: string) => {
    const { byTake, offers } = get().runs
    const moved = <T extends { path: string }>(one: T): T =>
      one.path === path ? { ...one, path: newPath } : one
    const { [path]: offer, ...others } = offers
    patch('runs', {
      byTake: Object.fromEntries(
        Object.entries(byTake).map(([takeId, view]) => [takeId, { ...view, run: moved(view.run) }]),
      ),
      offers: offer ? { ...others, [newPath]: { ...offer, wish: moved(offer.wish) } } : offers,
    })
    patch('takes', { list: get().takes.list.map(moved) })
  }
  const inDocument = async (path: string, task: (documentId: string) => Promise<unknown>) => {
    const documentId = get().documents.byPath[path]?.documentId
    if (documentId) await attempt(() => task(documentId))
  }

  const bringForward = (path: string) => {
    if (get().ui.view !== 'manuscript') get().ui.showView('manuscript')
    get().documents.activate(path)
  }

  return {
    activePath: null as string | null,
    byPath: {} as Record<string, DocumentView>,
    /** Of the shown document; null while none is. */
    figures: null as EditorFigures | null,
    /** The caret is to go into the text as soon as it is there. */
    isFocusWanted: false,

    /** Shows a file that the author went to: the caret goes with him. */
    goTo(path: string) {
      bringForward(path)
      patch('documents', { isFocusWanted: true })
    },
    /**
     * Shows a file at a place (UTF-16); the text gets the focus only once the caret is there. `text`: what stood there,
     * which is looked for nearby where the file has changed since.
     */
    async goToPlace({ path, from, text }: { path: string; from: number; text?: string }) {
      bringForward(path)
      patch('documents', { isFocusWanted: false })
      const key = get().documents.byPath[path]?.key
      const whileHere = async (limitMs: number, isDone: () => boolean) => {
        const until = now() + limitMs
        while (now() < until && get().documents.activePath === path && !isDone())
          await delay(systemTimers, tickMs)
      }
      const shown = () =>
        editor.current?.shownKey() === key ? (editor.current?.textOf(key ?? '') ?? null) : null
      /** −1: the text does not reach to the place. */
      const found = () => {
        const now = shown() ?? ''
        const at = text ? nearestPlace(now, text, from) : -1
        return at >= 0 ? at : now.length >= from ? from : -1
      }
      await whileHere(openingMs, () => shown() !== null)
      const isHere = get().documents.activePath === path
      // The place may lie behind changes that are still on their way: the text is focused meanwhile.
      if (isHere && found() < 0) patch('documents', { isFocusWanted: true })
      await whileHere(changesMs, () => found() >= 0)
      if (get().documents.activePath !== path || shown() === null) return
      editor.current?.placeCaret(found() < 0 ? from : found())
      editor.current?.focus()
    },
    /** Shows the first text of a work that was opened: the caret stands where the author writes on. */
    openAt(path: string | null) {
      openedPath = path
      places.clear()
      for (const [of, place] of Object.entries(get().work.current?.places ?? {})) places.set(of, place)
      get().documents.activate(path)
      patch('documents', { isFocusWanted: get().ui.view === 'manuscript' && path !== null })
    },
    /** Returns the author's place in a file; `end` for the manuscript that a work opens with. */
    placeOf(path: string) {
      const kept = places.get(path)
      if (kept !== undefined || path !== openedPath) return kept ?? null
      const isManuscript = get().work.current?.files.find((file) => file.path === path)?.kind === 'manuscript'
      return isManuscript ? 'end' : null
    },
    keepPlace(path: string, place: TextPlace) {
      places.set(path, place)
      const workId = get().work.current?.workId
      // Only a convenience for the next opening: its failure must not disturb the author.
      if (workId) client['work.keepPlace']({ workId, path, place }).catch(() => undefined)
    },
    /** Gives the focus to the text that is being opened, once it is there. */
    awaitFocus: () => patch('documents', { isFocusWanted: true }),
    focused: () => patch('documents', { isFocusWanted: false }),
    activate(path: string | null) {
      const before = get().documents.activePath
      if (path !== null && !get().documents.byPath[path]) put(newDocument(`document-${++count}`, path))
      patch('documents', { activePath: path, ...(path === null ? { figures: null } : {}) })
      if (path === null || path === before) return
      const workId = get().work.current?.workId
      // Only a convenience for the next opening: its failure must not disturb the author.
      if (workId) client['work.setLastPath']({ workId, path }).catch(() => undefined)
      void get().takes.load()
      void get().history.clear()
      get().preview.invalidate()
    },

    moved(path: string, newPath: string) {
      const place = places.get(path)
      if (place !== undefined) places.set(newPath, place)
      const view = get().documents.byPath[path]
      if (view) put({ ...view, path: newPath }, path)
      moveDrafts(path, newPath)
      if (get().documents.activePath === path) patch('documents', { activePath: newPath })
    },

    close(path: string) {
      const view = get().documents.byPath[path]
      if (!view) return
      const byPath = { ...get().documents.byPath }
      delete byPath[path]
      patch('documents', { byPath })
      editor.current?.closeDocument(view.key).catch(tell)
      if (get().documents.activePath !== path) return
      const work = get().work.current
      const next = work && firstPath({ ...work, files: work.files.filter((file) => file.path !== path) })
      get().documents.activate(next === path ? null : next)
    },

    closeAll() {
      for (const { key } of Object.values(get().documents.byPath))
        editor.current?.closeDocument(key).catch(tell)
      patch('documents', { byPath: {}, activePath: null, figures: null })
      get().history.clear()
    },

    /** Reports of the editor, by the document's key. */
    folded(key: string, event: DocumentEvent) {
      const view = byKey(key)
      if (!view) return
      if (event.kind === 'closed') return get().documents.close(view.path)
      if (event.kind === 'merged')
        get().ui.toast({ key: 'toast.merged', values: { name: displayName(view.path) } })
      if (event.kind === 'moved') get().documents.moved(view.path, event.path)
      const current = byKey(key) ?? view
      put(foldDocument(current, event), current.path)
      if (event.kind === 'changed' || event.kind === 'reloaded') get().preview.invalidate()
    },
    synced(key: string, sync: SyncState) {
      const view = byKey(key)
      if (view && view.sync !== sync) put({ ...view, sync })
    },
    failed(key: string, error: unknown) {
      const view = byKey(key)
      const problem = infoOf(error)
      // A lost connection has its own banner.
      if (view && problem.code !== 'rpc/closed') put({ ...view, problem })
    },
    measured: (figures: EditorFigures) => patch('documents', { figures }),

    resolveConflict: (path: string, choice: 'reload' | 'keep-mine') =>
      inDocument(path, (documentId) => client['document.resolveConflict']({ documentId, choice })),
    mergeConflict: (path: string, merged: { mine: string; disk: string; text: string }) =>
      inDocument(path, (documentId) => client['document.mergeConflict']({ documentId, ...merged })),
    saveAsUtf8: (path: string) =>
      inDocument(path, (documentId) => client['document.saveAsUtf8']({ documentId })),
    /** Sends what was typed a moment ago; main then knows all of it. */
    flush,
    async flushAll() {
      await Promise.all(Object.keys(get().documents.byPath).map(flush))
    },
    save: (path: string) =>
      inDocument(path, async (documentId) => {
        await flush(path)
        await client['document.save']({ documentId })
      }),
    forgetRecovery: (path: string) => change(path, { recoveredAt: null }),
    /** Puts away the notice that another program changed the text; it comes again after the author has written. */
    forgetChangedElsewhere: (path: string) => change(path, { changedElsewhere: 'read' }),
  }
}
