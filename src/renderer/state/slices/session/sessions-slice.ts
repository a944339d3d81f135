import type { Client } from '../../../../shared/contract/index.ts'
import type { sessionContract } from '../../../../shared/contract/session.ts'
import type { ListedSession, SessionHit } from '../../../../shared/domain/session/session.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { unsentKey } from '../unsent-slice.ts'

const initial = {
  /** Newest first. */
  list: [] as ListedSession[],
  isListLoaded: false,
  listError: null as ErrorInfo | null,
}

export function createSessionsSlice(context: SliceContext) {
  const { client, get, patch, follow, memory, attempt, inWork } = context
  let stop: (() => void) | undefined
  let followed: string | null = null
  let creating: Promise<string | null> | null = null

  const create = async (): Promise<string | null> => {
    const workId = get().work.current?.workId
    const answer = await inWork((ofWork) => client['session.create']({ workId: ofWork }))
    if (answer === null) return null
    const { sessionId } = answer.session
    const { firstMode: mode } = get().conversation
    if (mode !== 'ask') await attempt(() => client['session.setMode']({ sessionId, mode }))
    patch('conversation', { firstMode: 'ask' })
    if (get().work.current?.workId !== workId) return null
    // Text that was written in a box without a session, even while this one was being made, goes into its box.
    if (get().conversation.current === null) get().unsent.move(unsentKey(get()), sessionId)
    get().conversation.open(sessionId)
    return sessionId
  }

  return {
    ...initial,

    follow(workId: string | null) {
      stop?.()
      stop = undefined
      // After a reconnect the list stays until it comes anew.
      if (workId !== followed) patch('sessions', initial)
      followed = workId
      if (workId === null) return
      stop = follow(
        (signal) => client['session.watchList']({ workId }, { signal }),
        ({ sessions }) => {
          const isFirst = !get().sessions.isListLoaded
          patch('sessions', { list: sessions, isListLoaded: true, listError: null })
          if (isFirst && get().ui.view === 'session') get().sessions.openLast()
        },
        (error) => patch('sessions', { listError: infoOf(error), isListLoaded: true }),
      )
    },
    /** Opens the session that this window showed last in the folder, else the newest, once the list is there. */
    openLast() {
      const root = get().work.current?.root
      if (root === undefined || get().conversation.current !== null) return
      const { list, isListLoaded } = get().sessions
      const last = memory.read(`session ${root}`)
      const wanted = list.find((one) => one.sessionId === last) ?? list[0]
      if (isListLoaded && wanted) get().conversation.open(wanted.sessionId)
    },
    /**
     * Opens the place that a search found, with its folder. False where that cannot be opened: `work.error` says why.
     */
    async openFound({ workId, root, sessionId, itemId }: SessionHit) {
      const isHere = get().work.current?.workId === workId
      if (!isHere && !(await get().work.open(root))) return false
      get().conversation.open(sessionId)
      get().ui.showView('session')
      get().conversation.goTo(itemId)
      return true
    },
    /** Makes and opens one session at a time; null where that failed, or another folder was opened meanwhile. */
    create() {
      creating ??= create().finally(() => {
        creating = null
      })
      return creating
    },
    /** Calls a method of which this window keeps no answer; null where it failed, which the user is told. */
    call: <M extends keyof typeof sessionContract>(method: M, input: Parameters<Client[M]>[0]) =>
      attempt(async (): Promise<unknown> => (client[method] as (given: unknown) => unknown)(input)),
    async remove(sessionId: string) {
      const answer = await attempt(() => client['session.remove']({ sessionId }))
      if (answer === null) return
      if (get().conversation.current?.sessionId === sessionId) get().conversation.close()
    },
  }
}
