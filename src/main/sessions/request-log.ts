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

const keptRequests = 200
const keptSessions = 50

export type RequestLog = ReturnType<typeof createRequestLog>

/**
 * The last requests of each session to a model, for as long as this host runs; what they cost together is kept
 * with the session (`SessionStats`).
 */
export function createRequestLog({ clock, random }: { clock: Clock; random: Random }) {
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
    /** Called when a request begins; the function returned is called once, when it is over. */
    begin(sessionId: string, purpose: RequestPurpose, modelName: string): (end: RequestEnd) => void {
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
    /** Newest first. */
    of: (sessionId: string): ModelRequest[] => (logs.get(sessionId) ?? []).toReversed(),
    forget: (sessionId: string): void => void logs.delete(sessionId),
  }
}
