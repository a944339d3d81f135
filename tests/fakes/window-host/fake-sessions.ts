import type { ModelRequest } from '../../../src/shared/domain/model/model-request.ts'
import type {
  AuditEntry,
  ConsentRule,
  FolderTrust,
  RuleProblem,
} from '../../../src/shared/domain/session/consent-rule.ts'
import type { GateDiff } from '../../../src/shared/domain/session/gate.ts'
import type { SandboxStatus } from '../../../src/shared/domain/session/sandbox.ts'
import type {
  ListedSession,
  SentMessage,
  SessionEvent,
  SessionHit,
  SessionState,
} from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { TurnFile, UndoPreview } from '../../../src/shared/domain/session/undo.ts'
import { AppError, type ErrorInfo, type FolderProblem } from '../../../src/shared/errors.ts'
import { fixtureSession, fixtureState } from './session-fixtures.ts'
import { createTopic, type Topic } from './topic.ts'

export type FakeSession = {
  listed: ListedSession
  state: SessionState
  items: SessionItem[]
  seq: number
  topic: Topic<SessionEvent>
}

type Unnumbered = SessionEvent extends infer E ? (E extends unknown ? Omit<E, 'seq'> : never) : never
type Listing = { sessions: ListedSession[] }

const pageLength = 50

/** Sessions whose course the test decides; nothing happens in them by itself. */
export class FakeSessions {
  readonly byId = new Map<string, FakeSession>()
  readonly listTopic = createTopic<Listing>()
  readonly trustTopic = createTopic<FolderTrust>()
  readonly rulesTopic = createTopic<{ problems: RuleProblem[] }>()
  trust: FolderTrust = { isTrusted: true, isAsked: true }
  sandbox: SandboxStatus = { kind: 'none', part: 'system', detail: '' }
  readonly sandboxFolders = new Set<string>()
  rules: ConsentRule[] = []
  ruleProblems: RuleProblem[] = []
  audit: AuditEntry[] = []
  context: SentMessage[] = []
  requests: ModelRequest[] = []
  hits: SessionHit[] = []
  /** Shape: a diff without `callId` applies to any call that changes the file. */
  diffs: (GateDiff & { callId?: string })[] = []
  turnFiles: TurnFile[] = []
  preview: UndoPreview = { turn: 1, messages: 2, files: [], commands: [] }
  /** Error of the next message or removal; without it the message becomes `became`. */
  refusal: ErrorInfo | null = null
  /** Each new session waits for this promise. */
  heldCreation: Promise<void> | null = null
  became: 'message' | 'queued' | 'beside' | 'approval' | 'refusal' = 'message'
  /** The problem that the host reports about a folder before it is added. */
  folderProblem: FolderProblem | null = null
  trustsFolder = false
  /** Why no session can be followed now; null where each can. */
  watchRefusal: ErrorInfo | null = null
  #count = 0

  add(change: Partial<ListedSession> = {}, items: SessionItem[] = []): FakeSession {
    this.#count += 1
    const listed = fixtureSession({ sessionId: `session-${this.#count}`, ...change })
    const session: FakeSession = {
      listed,
      state: fixtureState(listed),
      items,
      seq: 1,
      topic: createTopic<SessionEvent>(),
    }
    this.byId.set(listed.sessionId, session)
    this.publishList()
    return session
  }

  get(sessionId: string): FakeSession {
    const session = this.byId.get(sessionId)
    if (!session) throw new AppError({ code: 'session/not-found', sessionId })
    return session
  }

  list(): Listing {
    return { sessions: [...this.byId.values()].map(({ listed }) => listed).reverse() }
  }

  publishList(): void {
    this.listTopic.publish(this.list())
  }

  watch(sessionId: string, afterSeq: number | undefined, signal: AbortSignal): AsyncIterable<SessionEvent> {
    if (this.watchRefusal) throw new AppError(this.watchRefusal)
    const session = this.get(sessionId)
    return session.topic.follow(signal, afterSeq === session.seq ? [] : [snapshotOf(session)])
  }

  page(sessionId: string, before: number, limit: number): { items: SessionItem[]; hasMore: boolean } {
    const older = this.get(sessionId).items.filter((item) => item.seq < before)
    return { items: older.slice(-limit), hasMore: older.length > limit }
  }

  /** Adds an item, or replaces the one with the same id. */
  put(sessionId: string, item: SessionItem): void {
    const session = this.get(sessionId)
    const at = session.items.findIndex((one) => one.itemId === item.itemId)
    if (at < 0) session.items.push(item)
    else session.items[at] = item
    this.#publish(sessionId, { type: 'item', item })
  }

  /** Appends to an item that is being written. */
  grow(sessionId: string, itemId: string, type: 'text' | 'reasoning' | 'output', text: string): void {
    const session = this.get(sessionId)
    session.items = session.items.map((item) => {
      if (item.itemId !== itemId) return item
      if (item.kind === 'answer' && type === 'reasoning') return { ...item, reasoning: item.reasoning + text }
      if (item.kind === 'answer' || item.kind === 'call') return { ...item, text: item.text + text }
      return item
    })
    this.#publish(sessionId, { type, itemId, text })
  }

  change(sessionId: string, change: Partial<SessionState>): void {
    const session = this.get(sessionId)
    session.state = { ...session.state, ...change }
    this.#publish(sessionId, { type: 'state', state: session.state })
  }

  cut(sessionId: string, fromTurn: number): void {
    const session = this.get(sessionId)
    session.items = session.items.filter((item) => item.turn < fromTurn)
    this.#publish(sessionId, { type: 'cut', fromTurn })
  }

  #publish(sessionId: string, event: Unnumbered): void {
    const session = this.get(sessionId)
    session.seq += 1
    session.topic.publish({ ...event, seq: session.seq } as SessionEvent)
  }
}

function snapshotOf({ seq, state, items }: FakeSession): SessionEvent {
  return {
    type: 'snapshot',
    seq,
    state,
    items: items.slice(-pageLength),
    hasMore: items.length > pageLength,
  }
}
