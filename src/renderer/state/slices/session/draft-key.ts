import { keyOf } from '../drafts-slice.ts'
import type { SessionsSlice } from './sessions-slice.ts'

/** Returns the name under which the box keeps its text: the session's, or that of the message that is being edited. */
export function draftKey({ current, editing }: Pick<SessionsSlice, 'current' | 'editing'>): string {
  const edited = current?.items.find((item) => item.kind === 'user' && item.turn === editing)
  return keyOf({ sessionId: current?.sessionId ?? null, about: edited?.itemId ?? null })
}

/** Returns the name of the draft of an answer to a question of the model. */
export function answerKey({ current }: Pick<SessionsSlice, 'current'>, callId: string): string {
  return keyOf({ sessionId: current?.sessionId ?? null, about: callId })
}
