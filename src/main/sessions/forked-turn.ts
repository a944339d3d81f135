import type { AgentState } from '../../shared/domain/agent-state.ts'
import type { SessionItem } from '../../shared/domain/session-item.ts'
import type { PromptEntry } from '../agent/model/prompt-entry.ts'
import type { SessionRecord, TurnStart } from '../store/session-repository.ts'

/** Where a fork left its session: the session as it was then. Units: entries of the prompt. */
export type ForkPoint = { record: SessionRecord; state: AgentState; entries: number }

/**
 * What a fork has come to since it left its session: everything that makes these turns, ready to be taken in.
 *
 * Shape: `record` is the fork's own now; `items` are those that it added, oldest first; `epochs` its prompt from the
 * fork's point on, one for each compaction: entries to be stored from `position` on. `note`: what the model is told
 * besides, behind all of it; null: nothing.
 */
export type ForkedTurn = {
  from: ForkPoint
  record: SessionRecord
  state: AgentState
  starts: TurnStart[]
  items: SessionItem[]
  epochs: { epoch: number; position: number; entries: PromptEntry[] }[]
  note: string | null
  /** The model that has played it, for the mark at its message. */
  modelName: string
}
