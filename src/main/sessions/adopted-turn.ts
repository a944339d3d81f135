import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import type { SessionStats } from '../../shared/domain/session/session.ts'
import type { CallItem, SessionItem } from '../../shared/domain/session/session-item.ts'
import type { ChangedFile } from '../../shared/domain/session/tool-result.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import type { SessionRecord, SessionRepository, TurnStart } from '../store/sessions/session-repository.ts'
import type { LiveSession } from './live-session.ts'
import { mergedMemory } from './project-memory.ts'
import { endedItem, type NewItem } from './session-items.ts'

type Session = Pick<LiveSession, 'sessionId' | 'record' | 'state' | 'log'>

/**
 * Turns of a fork, placed in the session that the fork left.
 *
 * Shape: `before` is the session as it was until then; `log` the whole prompt from now on.
 */
export type AdoptedTurn = {
  before: { record: SessionRecord; state: AgentState; log: readonly PromptEntry[] }
  record: SessionRecord
  state: AgentState
  items: SessionItem[]
  log: PromptEntry[]
  fork: ForkedTurn
  changeSetId: string | null
}

/** The additions of an acceptance to the fork's turns. `state`: the fork's state after its approval. */
type AdoptedWith = {
  now: number
  state: AgentState
  changeSetId: string | null
  /** Files whose changes were refused, or left as they are. */
  unmade: ReadonlySet<string>
  items: readonly NewItem[]
  /** Results of calls that will not be made any more. */
  results: readonly { callId: string; text: string }[]
  note: string | null
  newId(): string
}

/**
 * True where the session is as the fork left it; only the mode, and what the project has learned in other sessions,
 * may have changed.
 */
export function isAsLeft({ record, state, log }: Session, { from }: ForkedTurn): boolean {
  // The history is not compared: the same state can be reached with a question or without.
  const place = (one: AgentState): string =>
    JSON.stringify({ ...one, mode: null, history: null, memory: null })
  return (
    record.turn === from.record.turn &&
    record.epoch === from.record.epoch &&
    log.length === from.entries &&
    (state === from.state || place(state) === place(from.state))
  )
}

/** Computes the session with the fork's turns in it. Changes nothing. */
export function adoptedTurn(session: Session, fork: ForkedTurn, adopted: AdoptedWith): AdoptedTurn {
  const { record, state, log } = session
  const { turn, epoch } = fork.record
  const results = adopted.results.map(
    ({ callId, text }): PromptEntry => ({ turn, role: 'tool', kind: 'result', callId, text }),
  )
  const note: PromptEntry[] =
    adopted.note === null ? results : [...results, { turn, role: 'user', kind: 'note', text: adopted.note }]
  const epochs = fork.epochs.map((one) =>
    one.epoch === epoch ? { ...one, entries: [...one.entries, ...note] } : one,
  )
  const last = epochs.at(-1)
  const added = adopted.items.map(
    (item) => ({ ...item, itemId: adopted.newId(), seq: 0, turn, at: adopted.now }) as SessionItem,
  )
  const kept = fork.items.filter((item) => item.kind !== 'gate' || item.state !== 'open')
  const items = [...kept.map((item) => adoptedItem(item, fork, adopted)), ...added].map((item, at) => ({
    ...item,
    seq: record.lastSeq + 1 + at,
  }))
  const memory = mergedMemory(state.memory, fork.from.state.memory, adopted.state.memory)
  const now = { ...adopted.state, mode: state.mode, memory }
  return {
    before: { record, state, log },
    record: {
      ...record,
      session: {
        ...record.session,
        title: record.session.title || fork.record.session.title,
        updatedAt: adopted.now,
      },
      turn,
      epoch,
      lastSeq: record.lastSeq + items.length,
      state: now,
      stats: summed(record.stats, fork),
    },
    state: now,
    items,
    log: [...(last?.position === 0 ? [] : log), ...(last?.entries ?? [])],
    fork: { ...fork, epochs },
    changeSetId: adopted.changeSetId,
  }
}

/** Stores adopted turns, in the caller's transaction with all that belongs to them. */
export function storeAdopted(
  repository: SessionRepository,
  { fork, record, items, changeSetId }: AdoptedTurn,
): void {
  const { sessionId } = record.session
  for (const start of fork.starts) repository.startTurn(sessionId, start)
  for (const { epoch, position, entries } of fork.epochs)
    repository.appendEntries(sessionId, epoch, position, entries)
  for (const item of items) repository.saveItem(sessionId, item)
  if (changeSetId !== null) repository.addChange(sessionId, record.turn, changeSetId)
  repository.save(record)
}

/** Removes adopted turns from the store. `now`: the current session, which may have changed otherwise. */
export function removeAdopted(repository: SessionRepository, adopted: AdoptedTurn, now: Session): void {
  const { record, log } = adopted.before
  const { sessionId } = record.session
  const turn = record.turn + 1
  repository.cut(sessionId, { turn, epoch: record.epoch, entries: log.length, state: null })
  repository.forgetChanges(sessionId, turn)
  repository.save(sessionWithout(adopted, now).record)
}

/** Returns the session without the adopted turns; queue, rules, mode and what the user has taught stay as they are. */
export function sessionWithout(
  { before }: AdoptedTurn,
  now: Pick<Session, 'record' | 'state'>,
): Pick<AdoptedTurn, 'record' | 'state' | 'log'> {
  const { turn, epoch, stats, session } = before.record
  const { mode } = now.state
  const { learnedPatterns, corrections } = now.state.memory
  const memory = { ...before.state.memory, learnedPatterns, corrections }
  const state = { ...before.state, mode, memory }
  const title = { ...now.record.session, title: session.title }
  return { record: { ...now.record, turn, epoch, stats, session: title, state }, state, log: [...before.log] }
}

/** Returns a fork's item for the session: as ended where nothing will end it; a change names its change set. */
function adoptedItem(item: SessionItem, fork: ForkedTurn, adopted: AdoptedWith): SessionItem {
  const { state } = adopted
  const isOpen = item.kind === 'call' && state.calls.some(({ callId }) => callId === item.callId)
  const isAsked = item.kind === 'question' && state.waiting === 'answer'
  const ended = isOpen || isAsked ? item : (endedItem(item) ?? item)
  if (ended.kind === 'user' && ended.how === 'send') return { ...ended, speculatedBy: fork.modelName }
  return ended.kind === 'call' ? changingCall(ended, adopted) : ended
}

/** Returns a call that shows only files which it has changed in the folder. */
function changingCall(call: CallItem, { changeSetId, unmade }: AdoptedWith): CallItem {
  const { view } = call
  const made = (files: readonly ChangedFile[]) => files.filter(({ path, to }) => !unmade.has(to ?? path))
  if (view?.kind === 'change')
    return { ...call, view: { ...view, files: made(view.files), changeSetId: changeSetId ?? '' } }
  if (view?.kind !== 'command' || view.sandboxed === undefined) return call
  const files = made(view.sandboxed.files)
  const names = files.length === 0 ? {} : { changeSetId: changeSetId ?? '' }
  return { ...call, view: { ...view, sandboxed: { ...view.sandboxed, files, ...names } } }
}

function summed(stats: SessionStats, { record, from }: ForkedTurn): SessionStats {
  const names = Object.keys(stats) as (keyof SessionStats)[]
  const sums = names.map((name) => [name, stats[name] + record.stats[name] - from.record.stats[name]])
  return Object.fromEntries(sums) as SessionStats
}

/** The session as it was when the fork was made. Units: entries of the prompt. */
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
