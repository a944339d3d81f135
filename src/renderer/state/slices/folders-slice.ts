import type { FolderAssessment } from '../../../shared/domain/app/added-folder.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

const initial = {
  /** The folder that is being asked about, as the host finds it. */
  assessed: null as FolderAssessment | null,
  isBusy: false,
  error: null as ErrorInfo | null,
}

/** Folders that the open session works in besides its own: only the user adds them and takes them away. */
export function createFoldersSlice(context: SliceContext) {
  const { client, get, patch, attempt } = context
  let asked = 0

  const sessionHere = async (): Promise<string | null> =>
    get().conversation.current?.sessionId ?? (await get().sessions.create())

  const inSession = async (task: (sessionId: string) => Promise<unknown>): Promise<void> => {
    const sessionId = get().conversation.current?.sessionId
    if (sessionId !== undefined) await attempt(() => task(sessionId))
  }

  return {
    ...initial,

    /** Asks about a folder, by any of its names; in a new session where none is open. */
    async ask(path: string) {
      const mine = ++asked
      const sessionId = await sessionHere()
      if (sessionId === null || mine !== asked) return
      patch('folders', { ...initial, isBusy: true })
      get().ui.open({ kind: 'add-folder', sessionId })
      try {
        const assessed = await client['session.assessFolder']({ sessionId, path })
        if (mine === asked) patch('folders', { assessed, isBusy: false })
      } catch (error) {
        if (mine === asked) patch('folders', { error: infoOf(error), isBusy: false })
      }
    },
    async choose() {
      if ((await sessionHere()) === null) return false
      get().ui.open({ kind: 'picker', purpose: 'add-folder' })
      return true
    },
    /** Adds the folder that was asked about. False where it failed; then `error` says why. */
    async add(isTrusted: boolean | null) {
      const { dialog } = get().ui
      const { assessed } = get().folders
      if (dialog?.kind !== 'add-folder' || assessed === null) return false
      const mine = ++asked
      patch('folders', { isBusy: true, error: null })
      try {
        await client['session.addFolder']({ sessionId: dialog.sessionId, path: assessed.path, isTrusted })
        if (mine === asked) patch('folders', { isBusy: false, assessed: null })
        return true
      } catch (error) {
        if (mine === asked) patch('folders', { isBusy: false, error: infoOf(error) })
        return false
      }
    },
    remove: (path: string) => inSession((sessionId) => client['session.removeFolder']({ sessionId, path })),
    setTrusted: (path: string, isTrusted: boolean) =>
      inSession((sessionId) => client['session.trustFolder']({ sessionId, path, isTrusted })),
  }
}
