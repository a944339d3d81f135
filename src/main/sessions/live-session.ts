import type { AddedFolder } from '../../shared/domain/app/added-folder.ts'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import { type AgentState, hasPendingGate } from '../../shared/domain/session/agent-state.ts'
import { type MessageSegment, segmentsText } from '../../shared/domain/session/message-segment.ts'
import {
  type ContextMeter,
  type QueuedMessage,
  requestStats,
  type SentMessage,
  type Session,
  type SessionActivity,
  type SessionEvent,
  type SessionState,
  type SessionStats,
} from '../../shared/domain/session/session.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { type AppError, isAppError } from '../../shared/errors.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import { atRest, restoreAgentState } from '../agent/agent-machine.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import type { Clock, Random } from '../deps.ts'
import type { SessionRecord, SessionRepository, TurnStart } from '../store/sessions/session-repository.ts'
import type { CommitHooks } from '../workspace/apply-change-set.ts'
import type { AdoptedTurn } from './adopted-turn.ts'
import { createSessionEvents } from './session-events.ts'
import { type GrowingField, type IdentifiedKind, type NewItem, SessionItems } from './session-items.ts'
import { courseView } from './session-view.ts'

/** A session without a name of the user's is called by its first message. Units: graphemes. */
const titleLength = 60
const snapshotItems = 50
/** Time after which a write that found the disk full is tried again. Units: ms. */
const retryMs = 5_000

export type LiveSessionDeps = {
  clock: Clock
  random: Random
  repository: SessionRepository
  /** Called when something changes that the list of sessions shows. */
  onListed: (workId: string) => void
}

/**
 * A session that is shown or that works: the one owner of its state, its items and its prompt. Each change is stored
 * first and then sent to every window.
 */
export class LiveSession {
  readonly #deps: LiveSessionDeps
  readonly #events: ReturnType<typeof createSessionEvents>
  /** Number of the prompt's entries that are in the store. */
  #savedEntries: number
  #retry: { cancel(): void } | null = null
  #onDiskFull: (error: AppError) => void = () => undefined
  readonly #items: SessionItems
  #record: SessionRecord
  #state: AgentState
  #log: PromptEntry[]
  #isQueueHeld: boolean
  #activity: SessionActivity | null = null
  #meter: ContextMeter | null = null
  #sent: SentMessage[] = []
  #canRecover = false
  #folders: AddedFolder[]
  /** The stored state was not valid and the course begins anew; the user is told. */
  readonly isReset: boolean

  constructor(deps: LiveSessionDeps, sessionId: string) {
    this.#deps = deps
    this.#events = createSessionEvents(deps.clock.now())
    this.#record = deps.repository.get(sessionId)
    const onDiskFull = (error: AppError): void => this.#onDiskFull(error)
    this.#items = new SessionItems({ ...deps, onDiskFull }, sessionId, this.#record.lastSeq)
    const restored = restoreAgentState(this.#record.state)
    this.#state = restored.state
    this.isReset = restored.isReset
    // Messages that were queued when a host ended wait for the user.
    this.#isQueueHeld = this.#record.queue.length > 0
    // An added folder is not trusted until its trust is set.
    this.#folders = this.#record.folders.map((path) => ({ path, isTrusted: false }))
    this.#log = deps.repository.entries(sessionId, this.#record.epoch)
    this.#savedEntries = this.#log.length
  }

  /** Calls `listener` when the disk is full: the newest state is kept in memory until there is room. */
  onDiskFull(listener: (error: AppError) => void): void {
    this.#onDiskFull = listener
  }

  get sessionId(): string {
    return this.#record.session.sessionId
  }
  get workId(): string {
    return this.#record.session.workId
  }
  get language(): 'ja' | 'en' {
    return this.#record.language
  }
  get turn(): number {
    return this.#record.turn
  }
  get session(): Session {
    return { ...this.#record.session, messages: this.#record.turn }
  }
  get record(): SessionRecord {
    return this.#record
  }
  get state(): AgentState {
    return this.#state
  }
  get log(): readonly PromptEntry[] {
    return this.#log
  }
  get sent(): SentMessage[] {
    return this.#sent
  }
  get queue(): readonly QueuedMessage[] {
    return this.#record.queue
  }
  get folders(): readonly AddedFolder[] {
    return this.#folders
  }
  get isQueueHeld(): boolean {
    return this.#isQueueHeld
  }
  get isWorking(): boolean {
    return this.#activity !== null
  }
  get isWaiting(): boolean {
    return hasPendingGate(this.#state) || this.#state.waiting === 'answer'
  }

  /** Returns a session over `repository` that begins as this one is; no list shows it. */
  fork(repository: SessionRepository): LiveSession {
    const fork = new LiveSession({ ...this.#deps, repository, onListed: () => undefined }, this.sessionId)
    fork.setFolders(this.#folders)
    return fork
  }

  setState(state: AgentState): void {
    this.#state = state
    this.#save({ state })
    this.#tell()
  }

  /** Stores the session's rules for consent, or the language of its prompts. */
  keep(change: Partial<Pick<SessionRecord, 'rules' | 'language'>>): void {
    this.#save(change)
  }

  setFolders(folders: readonly AddedFolder[]): void {
    this.#folders = [...folders]
    this.#save({ folders: folders.map(({ path }) => path) })
    this.#tell()
  }

  rename(title: string): void {
    this.#record = { ...this.#record, isTitled: true }
    this.#save({ session: { ...this.#record.session, title } })
    this.#tell()
  }

  startTurn(segments: readonly MessageSegment[]): void {
    const { epoch, session } = this.#record
    const turn = this.#record.turn + 1
    const start: TurnStart = { turn, epoch, entries: this.#log.length, state: atRest(this.#state) }
    this.#items.settle()
    const isFirst = session.title === '' && !this.#record.isTitled
    const title = isFirst ? clipLine(segmentsText(segments), titleLength) : session.title
    this.#deps.repository.startTurn(this.sessionId, start)
    this.#save({ turn, session: { ...session, title, updatedAt: this.#deps.clock.now() } })
    this.count({ turns: 1 })
    this.#tell()
  }

  add(item: NewItem, turn = this.turn): SessionItem {
    const added = this.#items.add(item, turn)
    this.#save({ lastSeq: this.#items.lastSeq })
    this.#events.send({ type: 'item', item: added })
    return added
  }

  change<K extends SessionItem['kind']>(
    itemId: string,
    kind: K,
    change: Partial<Extract<SessionItem, { kind: K }>>,
  ): void {
    const item = this.#items.change(itemId, kind, change)
    if (item !== undefined) this.#events.send({ type: 'item', item })
  }

  /** Appends to an answer, to its thinking, or to a running command's output (`text` of a call). */
  grow(itemId: string, field: GrowingField, text: string): void {
    if (text === '' || !this.#items.grow(itemId, field, text)) return
    const isOutput = this.#items.get(itemId)?.kind === 'call'
    this.#events.send({ type: isOutput ? 'output' : field, itemId, text })
  }

  item(itemId: string): SessionItem | undefined {
    return this.#items.get(itemId)
  }

  page(query: { before?: number | undefined; limit: number }): { items: SessionItem[]; hasMore: boolean } {
    return this.#items.page(query)
  }

  openItems(): SessionItem[] {
    return this.#items.open()
  }

  itemsAbout<K extends IdentifiedKind>(kind: K, ...ids: string[]): Extract<SessionItem, { kind: K }>[] {
    return this.#items.about(kind, ids)
  }

  appendEntries(entries: readonly PromptEntry[]): void {
    this.#log = [...this.#log, ...entries]
    this.#save({})
  }

  /** Replaces the prompt after a compaction: the old prompt stays in the store. */
  replaceLog(entries: readonly PromptEntry[]): void {
    this.#savedEntries = 0
    this.#log = [...entries]
    this.#save({ epoch: this.#record.epoch + 1 })
  }

  setSent(sent: { messages: SentMessage[]; meter: ContextMeter }): void {
    this.#sent = sent.messages
    this.#meter = sent.meter
    this.#tell()
  }

  setActivity(activity: Omit<SessionActivity, 'startedAt'> | null): void {
    const wasWorking = this.isWorking
    const isSame = activity?.phase === this.#activity?.phase
    const startedAt = (isSame ? this.#activity?.startedAt : undefined) ?? this.#deps.clock.now()
    this.#activity = activity === null ? null : { ...activity, startedAt }
    this.#tell()
    if (wasWorking !== this.isWorking) this.#deps.onListed(this.workId)
  }

  setCanRecover(canRecover: boolean): void {
    if (this.#canRecover === canRecover) return
    this.#canRecover = canRecover
    this.#tell()
  }

  /** Adds to the statistics. `usage` is that of a request of the conversation, whose meter follows it. */
  count(more: Partial<SessionStats>, usage: ModelUsage | null = null): void {
    const stats = { ...this.#record.stats }
    const added = usage === null ? more : { ...more, ...requestStats(usage) }
    for (const [name, value] of Object.entries(added)) stats[name as keyof SessionStats] += value
    if (usage !== null && this.#meter !== null)
      this.#meter = { ...this.#meter, reusedTokens: usage.reusedTokens }
    this.#save({ stats })
  }

  enqueue(message: QueuedMessage): void {
    this.#save({ queue: [...this.queue, message] })
    this.#tell()
  }

  /** Holds or releases the queue. While it is held, no message of it is sent by itself. */
  holdQueue(isHeld: boolean): void {
    if (this.#isQueueHeld === isHeld) return
    this.#isQueueHeld = isHeld
    this.#tell()
  }

  /** Takes a queued message out: the next to be sent, or the one with this id. */
  dequeue(messageId?: string): QueuedMessage | undefined {
    const message = this.queue.find((one) =>
      messageId === undefined ? one.refusal === undefined : one.messageId === messageId,
    )
    if (message === undefined) return undefined
    this.#save({ queue: this.queue.filter((other) => other !== message) })
    this.#tell()
    return message
  }

  readonly changeNotes: CommitHooks = {
    alsoWrite: (changeSetId) => this.#deps.repository.addChange(this.sessionId, this.turn, changeSetId),
    alsoTakeBack: (changeSetId) => this.#deps.repository.removeChange(changeSetId),
  }

  /** Takes the conversation back to before `turn`; the mode, and what the project has learned, stay as they are. */
  cut(turn: number): boolean {
    const start = this.#deps.repository.turnStart(this.sessionId, turn)
    if (start === undefined) return false
    this.#items.drop()
    const { mode, memory } = this.#state
    const state = { ...restoreAgentState(start.state).state, mode, memory }
    this.#deps.repository.cut(this.sessionId, start)
    this.#log = this.#deps.repository.entries(this.sessionId, start.epoch)
    this.#savedEntries = this.#log.length
    this.#save({ turn: turn - 1, epoch: start.epoch, state })
    this.#state = state
    this.#canRecover = false
    this.#events.send({ type: 'cut', fromTurn: turn })
    this.#tell()
    return true
  }

  /** True where nothing waits for room on the disk. */
  get isStored(): boolean {
    return this.#retry === null && this.#savedEntries === this.#log.length && this.#items.isStored
  }

  /** Takes over turns of a fork that were just stored, or drops those that were just removed. */
  become({ record, state, log }: Pick<AdoptedTurn, 'record' | 'state' | 'log'>, items: SessionItem[]): void {
    const isShorter = record.turn < this.#record.turn
    if (isShorter) this.#items.drop()
    this.#items.settle()
    this.#items.skipTo(record.lastSeq)
    this.#record = record
    this.#state = state
    this.#log = [...log]
    this.#savedEntries = log.length
    if (isShorter) this.#events.send({ type: 'cut', fromTurn: record.turn + 1 })
    for (const item of items) this.#events.send({ type: 'item', item })
    this.#tell()
    this.#deps.onListed(this.workId)
  }

  view(): SessionState {
    return {
      session: this.session,
      ...courseView(this.#state),
      queue: [...this.queue],
      isQueueHeld: this.#isQueueHeld && this.queue.some(({ refusal }) => refusal === undefined),
      activity: this.#activity,
      context: this.#meter,
      canRecover: this.#canRecover,
      folders: [...this.#folders],
    }
  }

  watch(afterSeq: number | undefined, signal: AbortSignal): AsyncGenerator<SessionEvent, void, void> {
    const snapshot = (): SessionEvent => {
      const { items, hasMore } = this.#shown()
      return { type: 'snapshot', seq: this.#events.seq, state: this.view(), items, hasMore }
    }
    return this.#events.watch(afterSeq, snapshot, signal)
  }

  /** Returns the last items, from the first open one on: it can be seen and answered. */
  #shown(): { items: SessionItem[]; hasMore: boolean } {
    const last = this.page({ limit: snapshotItems })
    if (!this.isWorking && !this.isWaiting) return last
    const first = last.items[0]?.seq ?? 0
    const open = this.openItems()[0]?.seq ?? first
    return open >= first ? last : this.page({ limit: this.#items.lastSeq - open + 1 })
  }

  /** Writes what is not stored yet; the session can then be released. */
  flush(): void {
    this.#items.settle()
  }

  end(): void {
    this.flush()
    this.#retry?.cancel()
    this.#events.end()
  }

  #save(change: Partial<SessionRecord>): void {
    this.#record = { ...this.#record, ...change }
    try {
      this.#write()
    } catch (error) {
      if (!isAppError(error, 'file/disk-full')) throw error
      this.#retry ??= this.#deps.clock.setTimeout(() => {
        this.#retry = null
        this.#save({})
      }, retryMs)
      this.#onDiskFull(error)
    }
    if ('session' in change || 'state' in change) this.#deps.onListed(this.workId)
  }

  #write(): void {
    const { repository } = this.#deps
    const unsaved = this.#log.slice(this.#savedEntries)
    repository.together(() => {
      if (unsaved.length > 0)
        repository.appendEntries(this.sessionId, this.#record.epoch, this.#savedEntries, unsaved)
      repository.save(this.#record)
    })
    this.#savedEntries = this.#log.length
  }

  #tell(): void {
    this.#events.send({ type: 'state', state: this.view() })
  }
}
