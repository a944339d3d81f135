import type { SliceContext } from '../slice.ts'
import { unsentKey } from './unsent-key.ts'

/**
 * Returns a function that makes a session in the open folder and opens it, one at a time: a call meanwhile gets the
 * same session. It answers with the id; null where none could be made, or another folder was opened meanwhile.
 */
export function newSessions(
  { client, get, patch }: SliceContext,
  attempt: <T>(task: () => Promise<T>) => Promise<T | null>,
): () => Promise<string | null> {
  let creating: Promise<string | null> | null = null

  const create = async (): Promise<string | null> => {
    const workId = get().work.current?.workId
    const answer = workId === undefined ? null : await attempt(() => client['session.create']({ workId }))
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

  return () => {
    creating ??= create().finally(() => {
      creating = null
    })
    return creating
  }
}
