import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/**
 * Returns a function that asks something of the open session. It answers null where that failed; why stands beside the
 * message box.
 */
export function sessionRequest({ get, patch }: SliceContext) {
  return async <T>(task: (sessionId: string) => Promise<T>): Promise<T | null> => {
    const sessionId = get().conversation.current?.sessionId
    if (sessionId === undefined) return null
    patch('composer', { failure: null })
    try {
      return await task(sessionId)
    } catch (error) {
      const failure = infoOf(error)
      if (get().conversation.current?.sessionId === sessionId) patch('composer', { failure })
      else get().ui.toastError(failure)
      return null
    }
  }
}
