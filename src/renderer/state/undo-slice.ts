import type { UndoPreview } from '../../shared/domain/session.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export type UndoWhat = 'files' | 'conversation' | 'both'

/** A file as it is now, to compare before something is written over it. Null where there is none yet. */
export type ComparedFile = { path: string; text: string | null; hash: string | null }

/** Taking back turns, and writing a text of the conversation into a file. */
export type UndoSlice = {
  preview: UndoPreview | null
  compared: ComparedFile | null
  isBusy: boolean
  error: ErrorInfo | null
  /** Looks what undoing from `turn` on would do. */
  look(turn: number): Promise<void>
  /** False where it failed; then `error` says why. */
  undo(turn: number, what: UndoWhat): Promise<boolean>
  compare(path: string): Promise<void>
  /** Writes over the compared file; a notice offers to take it back. */
  apply(text: string): Promise<boolean>
  clear(): void
}

export function createUndoSlice(context: SliceContext): UndoSlice {
  const { client, get, patch } = context
  let asked = 0

  /** Only the last request counts; what an older one answers is not shown. */
  const attempt = async (task: () => Promise<Partial<UndoSlice>>): Promise<boolean> => {
    const mine = ++asked
    patch('undo', { isBusy: true, error: null })
    try {
      const part = await task()
      if (mine === asked) patch('undo', { ...part, isBusy: false })
      return true
    } catch (error) {
      if (mine === asked) patch('undo', { error: infoOf(error), isBusy: false })
      return false
    }
  }

  const takeBack = async (workId: string, undoId: string) => {
    try {
      const { path } = await client['work.restoreFile']({ workId, undoId })
      get().ui.toast({ key: 'apply.undone', values: { path } })
    } catch (error) {
      get().ui.toastError(infoOf(error))
    }
  }

  return {
    preview: null,
    compared: null,
    isBusy: false,
    error: null,

    async look(turn) {
      const sessionId = get().sessions.current?.sessionId
      if (sessionId === undefined) return
      await attempt(async () => ({ preview: await client['session.undoPreview']({ sessionId, turn }) }))
    },
    async undo(turn, what) {
      const sessionId = get().sessions.current?.sessionId
      if (sessionId === undefined) return false
      return attempt(async () => {
        const { left } = await client['session.undo']({ sessionId, turn, what })
        if (left.length === 0) get().ui.toast({ key: 'undo.done' })
        else get().ui.toast({ key: 'undo.left', values: { paths: left.join(', ') } })
        return {}
      })
    },
    async compare(path) {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      patch('undo', { compared: null })
      await attempt(async () => {
        const now = await client['session.previewApply']({ workId, path })
        return { compared: { path, ...now } }
      })
    },
    async apply(text) {
      const workId = get().work.current?.workId
      const { compared } = get().undo
      if (workId === undefined || compared === null) return false
      const { path, hash } = compared
      return attempt(async () => {
        const { undoId } = await client['session.applyText']({ workId, path, hash, text })
        get().ui.toast(
          { key: 'apply.done', values: { path } },
          { key: 'action.undo', run: () => void takeBack(workId, undoId) },
        )
        return {}
      })
    },
    clear() {
      asked += 1
      patch('undo', { preview: null, compared: null, isBusy: false, error: null })
    },
  }
}
