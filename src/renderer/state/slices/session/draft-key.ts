import { keyOf } from '../drafts-slice.ts'
import type { SessionsSlice } from './sessions-slice.ts'

/** Under which name the box keeps what stands in it: the session's, or one of its message that is written anew. */
export function draftKey({ current, editing }: Pick<SessionsSlice, 'current' | 'editing'>): string {
  const edited = current?.items.find((item) => item.kind === 'user' && item.turn === editing)
  return keyOf({ sessionId: current?.sessionId ?? null, about: edited?.itemId ?? null })
}
