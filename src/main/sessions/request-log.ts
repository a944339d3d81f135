import {
  isInternal,
  type ModelRequest,
  type RequestPurpose,
} from '../../shared/domain/model/model-request.ts'
import type { Clock, Random } from '../deps.ts'

/** The result of a request that has ended. */
export type RequestEnd = Pick<ModelRequest, 'promptTokens' | 'reusedTokens' | 'completionTokens' | 'end'> & {
  /** Undefined: the time since it began. */
  ms?: number
}

/**
 * The last requests of each session to a model, for as long as this host runs; what they cost together is kept
 * with the session (`SessionStats`).
 */
export type RequestLog = {
  /** Called when a request begins; the function returned is called once, when it is over. */
  begin(sessionId: string, purpose: RequestPurpose, modelName: string): (end: RequestEnd) => void
  /** Newest first. */
  of(sessionId: string): ModelRequest[]
  forget(sessionId: string): void
}

const keptRequests = 200
const keptSessions = 50

export function createRequestLog({ clock, random }: { clock: Clock; random: Random }): RequestLog {
  /** Sessions in the order of their last request, oldest first; their requests as well. */
  const logs = new Map<string, ModelRequest[]>()

  function keep(sessionId: string, request: ModelRequest): void {
    const kept = [...(logs.get(sessionId) ?? []), request].slice(-keptRequests)
    logs.delete(sessionId)
    logs.set(sessionId, kept)
    const [oldest] = logs.keys()
    if (logs.size > keptSessions && oldest !== undefined) logs.delete(oldest)
  }

  return {
    begin(sessionId, purpose, modelName) {
      const at = clock.now()
      return ({ ms = clock.now() - at, ...end }) =>
        keep(sessionId, {
          requestId: random.id(),
          at,
          purpose,
          isBackground: isInternal(purpose),
          modelName,
          ms,
          ...end,
        })
    },
    of: (sessionId) => (logs.get(sessionId) ?? []).toReversed(),
    forget: (sessionId) => void logs.delete(sessionId),
  }
}
