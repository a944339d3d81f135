import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import type { SessionRecord, SessionRepository, TurnStart } from '../store/session-repository.ts'
import type { LiveSession } from './live-session.ts'

/** Where a fork left its session: the session as it was then. Units: entries of the prompt. */
export type ForkPoint = { record: SessionRecord; state: AgentState; entries: number }

/**
 * The turns of a fork since it left its session, with everything that is needed to adopt them.
 *
 * Shape: `record` is the fork's own now; `items` are those that it added, oldest first; `epochs` its prompt from the
 * fork's point on, one for each compaction: entries to be stored from `position` on.
 */
export type ForkedTurn = {
  from: ForkPoint
  record: SessionRecord
  state: AgentState
  starts: TurnStart[]
  items: SessionItem[]
  epochs: { epoch: number; position: number; entries: PromptEntry[] }[]
  /** The model that ran the fork, for the mark at its message. */
  modelName: string
}

/** Returns the point at which a fork leaves this session. */
export function forkPoint({ record, state, log }: Pick<LiveSession, 'record' | 'state' | 'log'>): ForkPoint {
  return { record, state, entries: log.length }
}

/** Reads the turns of a fork from its own repository. */
export function readFork(
  from: ForkPoint,
  session: LiveSession,
  repository: SessionRepository,
  modelName: string,
): ForkedTurn {
  session.flush()
  const { sessionId, record, state } = session
  const first = from.record.turn + 1
  const turns = Array.from({ length: record.turn - from.record.turn }, (_, at) => first + at)
  const epochs = Array.from({ length: record.epoch - from.record.epoch + 1 }, (_, at) => {
    const position = at === 0 ? from.entries : 0
    const epoch = from.record.epoch + at
    return { epoch, position, entries: repository.entries(sessionId, epoch).slice(position) }
  })
  return {
    from,
    record,
    state,
    starts: turns.flatMap((turn) => repository.turnStart(sessionId, turn) ?? []),
    items: repository.allItems(sessionId).filter(({ seq }) => seq > from.record.lastSeq),
    epochs,
    modelName,
  }
}
