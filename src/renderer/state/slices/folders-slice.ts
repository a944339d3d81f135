import type { FolderAssessment } from '../../../shared/domain/app/added-folder.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

/** Folders that the open session works in besides its own: only the user adds them and takes them away. */
export type FoldersSlice = {
  /** The folder that is being asked about, as the host finds it. */
  look: FolderAssessment | null
  isBusy: boolean
  error: ErrorInfo | null
  /** Asks about a folder, by any of its names; in a new session where none is open. */
  ask(path: string): Promise<void>
  /** Lets the user choose the folder first. */
  choose(): Promise<boolean>
  /** Adds the folder that was asked about. False where it failed; then `error` says why. */
  add(isTrusted: boolean | null): Promise<boolean>
  remove(path: string): Promise<void>
  setTrusted(path: string, isTrusted: boolean): Promise<void>
}

export function createFoldersSlice(context: SliceContext): FoldersSlice {
  const { client, get, patch } = context
  let asked = 0

  const sessionHere = async (): Promise<string | null> =>
    get().sessions.current?.sessionId ?? (await get().sessions.create())

  const attempt = async (task: (sessionId: string) => Promise<unknown>): Promise<void> => {
    const sessionId = get().sessions.current?.sessionId
    if (sessionId === undefined) return
    try {
      await task(sessionId)
    } catch (error) {
      get().ui.toastError(infoOf(error))
    }
  }

  return {
    look: null,
    isBusy: false,
    error: null,

    async ask(path) {
      const mine = ++asked
      const sessionId = await sessionHere()
      if (sessionId === null || mine !== asked) return
      patch('folders', { look: null, isBusy: true, error: null })
      get().ui.open({ kind: 'add-folder', sessionId })
      try {
        const look = await client['session.assessFolder']({ sessionId, path })
        if (mine === asked) patch('folders', { look, isBusy: false })
      } catch (error) {
        if (mine === asked) patch('folders', { error: infoOf(error), isBusy: false })
      }
    },
    async choose() {
      if ((await sessionHere()) === null) return false
      get().ui.open({ kind: 'picker', purpose: 'add-folder' })
      return true
    },
    async add(isTrusted) {
      const { dialog } = get().ui
      const { look } = get().folders
      if (dialog?.kind !== 'add-folder' || look === null) return false
      const mine = ++asked
      patch('folders', { isBusy: true, error: null })
      try {
        await client['session.addFolder']({ sessionId: dialog.sessionId, path: look.path, isTrusted })
        if (mine === asked) patch('folders', { isBusy: false, look: null })
        return true
      } catch (error) {
        if (mine === asked) patch('folders', { isBusy: false, error: infoOf(error) })
        return false
      }
    },
    remove: (path) => attempt((sessionId) => client['session.removeFolder']({ sessionId, path })),
    setTrusted: (path, isTrusted) =>
      attempt((sessionId) => client['session.trustFolder']({ sessionId, path, isTrusted })),
  }
}
