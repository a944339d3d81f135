import type { Client } from '../../../../shared/contract/index.ts'
import type { DraftDetails } from '../../../../shared/domain/drafting/draft-details.ts'
import type { RecentWork, Work } from '../../../../shared/domain/work/work.ts'
import type { PageChoice } from '../../../../shared/domain/work/work-file.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import type { Language } from '../../../../shared/i18n/translate.ts'
import { createSerialQueue } from '../../../../shared/serial-queue.ts'
import {
  filesOf,
  firstPath,
  foldWork,
  movedOrder,
  nextFileName,
  orderBeside,
} from '../../reducers/work-reducer.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { dialogsOfApp, type WorkView } from '../ui-slice.ts'

type DetailsChange = Partial<DraftDetails> | ((details: DraftDetails) => Partial<DraftDetails>)

/** Returns the view that was asked for, else the last one. First: sessions, unless the folder is mostly text. */
function viewOf(work: Work, kept: string | null, wanted: WorkView | undefined): WorkView {
  if (wanted !== undefined) return wanted
  if (kept === 'session' || kept === 'manuscript') return kept
  if (!work.hasWorkFile && work.isProject) return 'session'
  const others = filesOf(work, 'other').length
  return !work.hasWorkFile && others > filesOf(work, 'manuscript').length ? 'session' : 'manuscript'
}

const limitUndoSteps = 50

export function createWorkSlice(context: SliceContext) {
  const { client, get, patch, follow, memory, tell, attempt, inWork } = context
  let stop: (() => void) | undefined
  let prepared: { root: string; work: Promise<Work> } | undefined

  const show = (work: Work, wantedPath: string | null, isOpened = false) => {
    stop?.()
    patch('work', { current: work, error: null })
    patch('work', { undoCount: stepsHere().length })
    memory.write('work', work.root)
    stop = follow(
      (signal) => client['work.watch']({ workId: work.workId }, { signal }),
      (event) => {
        const current = get().work.current
        if (current?.workId !== work.workId) return
        const next = foldWork(current, event)
        patch('work', { current: next })
        get().detailTexts.heard(next)
        if (event.type === 'work-file' && event.problem === null) get().detailTexts.flush()
        if (get().documents.activePath === null) get().documents.activate(firstPath(next))
      },
      (error) => patch('work', { error: infoOf(error) }),
    )
    if (isOpened) get().documents.openAt(wantedPath)
    else get().documents.activate(wantedPath)
    get().detailTexts.follow(work)
    get().takes.follow(work.workId)
    get().sessions.follow(work.workId)
    get().unsent.follow(work.workId)
    get().consent.follow(work.workId)
    get().workSettings.follow(work.workId)
    void get().runs.load(work.workId)
    void get().ideas.load(work.workId)
    get().preview.followWork()
  }

  /** Removes the notices with an action, which is about the work that was left. */
  const dropActions = () =>
    patch('ui', { toasts: get().ui.toasts.filter(({ action, isLasting }) => !action || isLasting) })

  const leaveWork = () => {
    get().summaries.leave()
    get().ask.leave()
    const { dialog } = get().ui
    if (dialog !== null && !dialogsOfApp.has(dialog.kind)) get().ui.close()
  }

  const updates = createSerialQueue()
  let openings = 0
  /** Shows the work that was asked for last; the answer to an earlier request comes too late. */
  const opening = async (ask: () => Promise<Work>, wanted?: WorkView): Promise<boolean> => {
    openings += 1
    const nth = openings
    patch('work', { isOpening: true, error: null })
    try {
      const work = await ask()
      if (nth !== openings) return false
      get().documents.closeAll()
      dropActions()
      if (!isOpen(work.workId)) leaveWork()
      get().conversation.close()
      const view = viewOf(work, memory.read(`view ${work.root}`), wanted)
      memory.write(`view ${work.root}`, view)
      patch('ui', { view })
      show(work, firstPath(work), true)
      // Without a connection the list comes with the next one.
      get()
        .work.loadRecent()
        .catch((error) => tell(error, 'rpc/closed'))
      return true
    } catch (error) {
      if (nth === openings) patch('work', { error: infoOf(error) })
      return false
    } finally {
      if (nth === openings) patch('work', { isOpening: false })
    }
  }

  /** A new work begins with a page to write on. It is shown with it, so that nothing is typed before it is there. */
  const withFirstChapter = async (work: Work): Promise<Work> => {
    if (filesOf(work, 'manuscript').length > 0) return work
    const { workId } = work
    try {
      const { path } = await client['work.createFile']({ workId, path: nextFileName(work, 'manuscript', '') })
      return { ...work, files: [...work.files, { path, kind: 'manuscript', order: 0 }] }
    } catch (error) {
      tell(error)
      return work
    }
  }

  /** False once another work was opened: there, the same paths are those of other files. */
  const isOpen = (workId: string) => get().work.current?.workId === workId

  /** The steps that take the last changes of chapters back, the newest last; each waits for its own work. */
  let undoSteps: { workId: string; undo: (workId: string) => Promise<unknown> }[] = []
  const stepsHere = () => undoSteps.filter(({ workId }) => isOpen(workId))
  const remember = (workId: string, undo: (workId: string) => Promise<unknown>) => {
    if (!isOpen(workId)) return undefined
    undoSteps = [...undoSteps.slice(1 - limitUndoSteps), { workId, undo }]
    patch('work', { undoCount: stepsHere().length })
    return undoSteps.at(-1)
  }
  /** Each step is taken back once, be it by its toast or by the command. */
  const takeBack = async (step: (typeof undoSteps)[number] | undefined) => {
    if (step === undefined || !stepsHere().includes(step)) return
    undoSteps = undoSteps.filter((one) => one !== step)
    patch('work', { undoCount: stepsHere().length })
    await inWork(step.undo)
  }
  /** Removes a file with all that was typed into it; returns what brings it back. */
  const remove = async (workId: string, path: string): Promise<string> => {
    await get().documents.flush(path)
    const { undoId } = await client['work.removeFile']({ workId, path })
    if (isOpen(workId)) get().documents.close(path)
    return undoId
  }
  const reorder = async (paths: string[] | null) => {
    const before = filesOf(get().work.current, 'manuscript').map((file) => file.path)
    if (paths === null) return
    await inWork(async (workId) => {
      await client['work.reorder']({ workId, paths })
      remember(workId, () => client['work.reorder']({ workId, paths: before }))
    })
  }

  return {
    current: null as Work | null,
    /** A work or a new text was asked for and is not there yet: nothing can be typed until it is, or is given up. */
    isOpening: false,
    recent: [] as RecentWork[],
    /** Why the last opening failed; shown where it was asked for. */
    error: null as ErrorInfo | null,
    /** How many changes of chapters can be taken back: new, renamed, moved, removed ones. */
    undoCount: 0,

    undo: () => takeBack(stepsHere().at(-1)),

    async loadRecent() {
      const { works } = await client['work.recent']({})
      patch('work', { recent: works })
    },
    /** With `view` its manuscripts or its sessions are shown, whatever was shown last. */
    open: (path: string, view?: WorkView) => opening(() => client['work.open']({ path }), view),
    /** Gives up an opening: its work or text is not shown when it comes. */
    giveUpOpening() {
      openings += 1
      patch('work', { isOpening: false })
    },
    openSample: (language: Language) => opening(() => client['work.openSample']({ language }), 'manuscript'),
    /** True where this folder showed its sessions last. */
    isShownAsProject: (root: string) => memory.read(`view ${root}`) === 'session',
    create: (parent: string, name: string) =>
      opening(async () => withFirstChapter(await client['work.create']({ parent, name }))),

    /** Opens again what this window had open before it was reloaded. */
    async openLast() {
      const root = memory.read('work')
      if (root && get().work.recent.some((work) => work.root === root)) await get().work.open(root)
    },
    /** Opens what is shown in the host of a new connection, which may be another one, before any other request. */
    async prepare(fresh: Client) {
      const root = get().work.current?.root
      prepared = root === undefined ? undefined : { root, work: fresh['work.open']({ path: root }) }
      await prepared?.work
    },
    /** Goes on, after a reconnect, with the work that was prepared. */
    async reopen() {
      const current = get().work.current
      if (current === null) return
      const ready = prepared?.root === current.root ? prepared.work : undefined
      prepared = undefined
      try {
        const work = await (ready ?? client['work.open']({ path: current.root }))
        show(work, get().documents.activePath ?? firstPath(work))
        // The session may have been asked for before its folder was open again.
        const session = get().conversation.current
        if (session?.status === 'failed') get().conversation.open(session.sessionId)
      } catch (error) {
        patch('work', { error: infoOf(error) })
      }
    },
    close() {
      stop?.()
      memory.write('work', '')
      get().documents.closeAll()
      dropActions()
      leaveWork()
      get().takes.follow(null)
      get().conversation.close()
      get().sessions.follow(null)
      get().unsent.follow(null)
      get().consent.follow(null)
      get().workSettings.follow(null)
      patch('work', { current: null, error: null })
    },
    async forget(root: string) {
      await attempt(async () => {
        await client['work.forget']({ root })
        await get().work.loadRecent()
      })
    },

    /**
     * Changes details of the open work, or of another one that a field was shown for. Lists are changed as a whole: a
     * function makes the change from the details after the changes before it. False where it failed, which the user was
     * told.
     */
    async updateDetails(change: DetailsChange, of?: string) {
      const send = (workId: string) => get().work.sendDetails(change, workId)
      return (await (of === undefined ? inWork(send) : attempt(() => send(of)))) !== null
    },
    /** As `updateDetails`. Errors: those of the method. */
    sendDetails(change: DetailsChange, workId: string) {
      const send = async (made: Partial<DraftDetails>) => {
        const { details } = await client['work.updateDetails']({ workId, patch: made })
        const { current } = get().work
        if (current?.workId !== workId) return
        patch('work', { current: { ...current, details } })
        get().preview.invalidate()
      }
      if (typeof change === 'function')
        return updates(async () => {
          const known = get().work.current
          if (known?.workId === workId) await send(change(known.details))
        })
      // A text does not wait for the changes before it: it is to be on its way when the page is left.
      const sent = send(change)
      void updates(() => sent)
      return sent
    },
    /** Sends what was typed into the details a moment ago; returns them once the host has all of it. */
    async settledDetails() {
      get().detailTexts.flush()
      await updates.idle()
      return get().work.current?.details
    },
    /** Puts a `work.json` that cannot be read aside and says what it is called now. */
    async repairFile() {
      const answer = await inWork((workId) => client['work.repairFile']({ workId }))
      if (answer?.movedTo) get().ui.toast({ key: 'toast.workFileRepaired', values: { name: answer.movedTo } })
    },
    async createFile(path: string, kind: 'manuscript' | 'material' = 'manuscript') {
      // What is typed meanwhile would go into the text that is still shown.
      openings += 1
      const nth = openings
      patch('work', { isOpening: true })
      const made = await inWork(async (workId) => {
        const answer = await client['work.createFile']({ workId, path, kind })
        remember(workId, () => remove(workId, answer.path))
        return answer.path
      })
      const isWanted = nth === openings
      if (isWanted) patch('work', { isOpening: false })
      if (isWanted && made !== null) get().documents.goTo(made)
      return made
    },
    async renameFile(path: string, newPath: string) {
      const rename = async (workId: string, from: string, to: string) => {
        const answer = await client['work.renameFile']({ workId, path: from, newPath: to })
        // Main reports it, too, where the file is open; whichever report comes first is enough.
        if (isOpen(workId)) get().documents.moved(from, answer.path)
        return answer.path
      }
      const renamed = await inWork(async (workId) => {
        const moved = await rename(workId, path, newPath)
        remember(workId, () => rename(workId, moved, path))
        return moved
      })
      return renamed !== null
    },
    async removeFile(path: string) {
      await inWork(async (workId) => {
        const undoId = await remove(workId, path)
        const step = remember(workId, async () => {
          const restored = await client['work.restoreFile']({ workId, undoId })
          if (isOpen(workId)) get().documents.goTo(restored.path)
        })
        const undo = step && ({ key: 'action.undo', run: () => void takeBack(step) } as const)
        get().ui.toast({ key: 'toast.removed', values: { path } }, undo)
      })
    },
    /** Takes files back that an import made; they go to the bin. */
    async removeFiles(paths: readonly string[]) {
      await inWork(async (workId) => {
        for (const path of paths) await remove(workId, path)
      })
    },
    async setKind(path: string, kind: 'manuscript' | 'material') {
      await inWork((workId) => client['work.setKind']({ workId, path, kind }))
    },
    /** Chooses the page of a text; null: as the settings say. */
    async setPage(path: string, page: PageChoice | null) {
      await inWork((workId) => client['work.setPage']({ workId, path, page }))
    },
    async move(path: string, by: -1 | 1) {
      const current = get().work.current
      await reorder(current && movedOrder(current, path, by))
    },
    async moveBeside(path: string, neighbour: string, side: 'before' | 'after') {
      const current = get().work.current
      await reorder(current && orderBeside(current, path, neighbour, side))
    },
  }
}
