import type { AppState } from '../../app-state.ts'
import { keyOf } from '../unsent-slice.ts'

/** Returns the name under which the box keeps its text: the session's, or that of the message that is being edited. */
export function unsentKey({
  conversation: { current },
  composer: { editing },
}: Pick<AppState, 'conversation' | 'composer'>): string {
  const edited = current?.items.find((item) => item.kind === 'user' && item.turn === editing)
  return keyOf({ sessionId: current?.sessionId ?? null, about: edited?.itemId ?? null })
}

/** Returns the name under which an answer to a question of the model is kept until it is sent. */
export function answerKey(
  { conversation: { current } }: Pick<AppState, 'conversation'>,
  callId: string,
): string {
  return keyOf({ sessionId: current?.sessionId ?? null, about: callId })
}
