import { step } from '../agent-machine.ts'
import type { RequestContext } from '../model/agent-model.ts'
import type { PromptEntry } from '../model/prompt/prompt-entry.ts'

/**
 * What the model would be asked with if `text` were sent now, as `ModelQueue` would have it by then: `held` before
 * it, the state after it. Null where something else than a decision would follow.
 */
export function prefetchContext(
  session: RequestContext,
  held: readonly PromptEntry[],
  text: string,
): RequestContext | null {
  const { sessionId, language, folders = [] } = session
  const { state, effects } = step(session.state, { type: 'user.message', text })
  if (!effects.some(({ type }) => type === 'model.decide')) return null
  const turn = session.turn + 1
  const message: PromptEntry = { turn, role: 'user', kind: 'message', text }
  return { sessionId, language, turn, log: [...session.log, ...held, message], state, folders }
}
