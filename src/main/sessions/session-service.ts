import { z } from 'zod'
import type { AddedFolder, FolderAssessment } from '../../shared/domain/added-folder.ts'
import type { CourseEdit } from '../../shared/domain/agent-course.ts'
import { type AgentMemory, newAgentState } from '../../shared/domain/agent-state.ts'
import type { AgentMode } from '../../shared/domain/agent-step.ts'
import type { ReferenceAnswers } from '../../shared/domain/file-reference.ts'
import type { GateAnswerInput, GateDiff } from '../../shared/domain/gate.ts'
import type { MessageSegment } from '../../shared/domain/message-segment.ts'
import type { ModelRequest } from '../../shared/domain/model-request.ts'
import {
  type ListedSession,
  noSessionStats,
  type SentMessage,
  type Session,
  type SessionEvent,
  type SessionHit,
  type SessionStats,
} from '../../shared/domain/session.ts'
import type { SessionItem } from '../../shared/domain/session-item.ts'
import type { UndoChoice, UndoPreview, UndoResult } from '../../shared/domain/undo.ts'
import { AppError } from '../../shared/errors.ts'
import type { AgentEvent } from '../agent/agent-events.ts'
import { atRest } from '../agent/at-rest.ts'
import type { Clock, Log } from '../deps.ts'
import type { SessionRepository } from '../store/session-repository.ts'
import { endedItem } from './ended-item.ts'
import {
  createMessageSending,
  type MessageSending,
  type MessageSendingDeps,
  type OutgoingMessage,
  type SendResult,
} from './message-sending.ts'
import { submitOf } from './prompt-submit.ts'
import type { RequestLog } from './request-log.ts'
import type { SessionFolderList } from './session-folders.ts'
import type { OpenSession, SessionHost } from './session-host.ts'
import { cutConversation, type SessionUndo, type UndoWhat } from './session-undo.ts'

export type SessionServiceDeps = MessageSendingDeps & {
  clock: Clock
  log: Log
  repository: SessionRepository
  host: SessionHost
  undo: SessionUndo
  folders: SessionFolderList
  rootOf(workId: string): string
  language(): 'ja' | 'en'
  /** What a new session inherits of its project. */
  memory: { get(workId: string): AgentMemory | undefined }
  requests: Pick<RequestLog, 'of' | 'forget'>
  /** Ends what a session left running. */
  endCommands(sessionId: string): Promise<void>
}

/** Conversations in folders. Errors: `session/not-found` for an unknown id. */
export type SessionService = {
  watchList(workId: string, signal: AbortSignal): AsyncGenerator<{ sessions: ListedSession[] }, void, void>
  create(workId: string): Session
  rename(sessionId: string, title: string): Promise<void>
  remove(sessionId: string): Promise<void>
  branch(sessionId: string, turn: number): Promise<Session>
  watch(
    sessionId: string,
    afterSeq: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, void, void>
  items(
    sessionId: string,
    query: { before: number; limit: number },
  ): Promise<{ items: SessionItem[]; hasMore: boolean }>
  /** Errors: `model/none`, `session/empty-message`, `session/cancelled`, `reference/secret`. */
  send(sessionId: string, message: OutgoingMessage, signal: AbortSignal): Promise<SendResult>
  removeQueued(sessionId: string, messageId: string): Promise<MessageSegment[]>
  sendQueued(sessionId: string): Promise<void>
  stop(sessionId: string): Promise<void>
  recover(sessionId: string): Promise<void>
  reset(sessionId: string): Promise<void>
  /** Errors: as `send`, and nothing was taken away. */
  resend(
    sessionId: string,
    turn: number,
    message: { segments?: MessageSegment[] | undefined; references?: ReferenceAnswers | undefined },
    signal: AbortSignal,
  ): Promise<void>
  setMode(sessionId: string, mode: AgentMode): Promise<void>
  /** The plan, in the mode that was set before plan mode. */
  carryOut(sessionId: string): Promise<void>
  editCourse(sessionId: string, edit: CourseEdit): Promise<void>
  /** What the answer names goes with it, as with a message. Errors: those of `MessageSending`'s. */
  answerQuestion(
    sessionId: string,
    answer: Parameters<MessageSending['answer']>[1],
    signal: AbortSignal,
  ): Promise<void>
  compact(sessionId: string): Promise<void>
  assessFolder(sessionId: string, path: string): Promise<FolderAssessment>
  /** Errors: `folder/refused`. */
  addFolder(sessionId: string, path: string, isTrusted: boolean | null): Promise<AddedFolder>
  /** Errors: `folder/not-added`. */
  removeFolder(sessionId: string, path: string): Promise<void>
  /** Errors: `folder/not-added`. */
  trustFolder(sessionId: string, path: string, isTrusted: boolean): Promise<void>
  /** The user has said of a folder whether it is trusted. */
  heardTrust(root: string, isTrusted: boolean): void
  /** Errors: `gate/not-open`, `gate/too-early`. */
  answerGate(sessionId: string, answer: GateAnswerInput): Promise<void>
  gateDiff(sessionId: string, gateId: string, callId: string, path: string): Promise<GateDiff>
  undoPreview(sessionId: string, turn: number): Promise<UndoPreview>
  undo(sessionId: string, turn: number, what: UndoWhat, choices: readonly UndoChoice[]): Promise<UndoResult>
  /** What taking back the last undo of files would do. Errors: `session/no-undo`. */
  redoPreview(sessionId: string): Promise<UndoPreview>
  /** Errors: `session/no-undo`. */
  redo(sessionId: string, choices: readonly UndoChoice[]): Promise<UndoResult>
  search(query: string, workId: string | undefined): SessionHit[]
  /** The whole conversation, for an export. */
  all(sessionId: string): Promise<{ session: Session; language: 'ja' | 'en'; items: SessionItem[] }>
  context(sessionId: string): Promise<SentMessage[]>
  stats(sessionId: string): Promise<SessionStats>
  requests(sessionId: string): ModelRequest[]
  /** True while a session works. */
  isBusy(): boolean
  /** Ends what runs, saves, lets go. */
  close(): Promise<void>
}

const foundHits = 100

export function createSessionService(deps: SessionServiceDeps): SessionService {
  const { repository, gates, random, clock, undo, host: sessions } = deps
  const sending = createMessageSending(deps)
  const stopHearing = gates.onVoid((sessionId, gateId, items) =>
    sessions.known(sessionId)?.runner.voidGate(gateId, items),
  )

  const dispatch = (sessionId: string, event: AgentEvent): Promise<void> =>
    sessions.use(sessionId, async ({ runner }) => runner.dispatch(event))

  const list = (workId: string): ListedSession[] =>
    repository.list(workId).map((record) => {
      const live = sessions.known(record.session.sessionId)?.session
      const isWaiting = live?.isWaiting ?? isLeftWaiting(record.state)
      return { ...record.session, isWorking: live?.isWorking ?? false, isWaiting }
    })

  /** The prompt that a turn began with, as far as it is still there. */
  function logBefore(session: OpenSession['session'], turn: number): OpenSession['session']['log'] {
    const start = repository.turnStart(session.sessionId, turn)
    return start === undefined
      ? session.log
      : repository.entries(session.sessionId, start.epoch).slice(0, start.entries)
  }

  /** What still goes on in the session that was copied does not in the copy. */
  function endItems(copyId: string): void {
    for (const item of repository.openItems(copyId)) {
      const ended = endedItem(item)
      if (ended !== null) repository.saveItem(copyId, ended)
    }
  }

  /** Stops what runs for `work`. Messages that wait go on waiting: none begins in what is taken back. */
  async function halted<T>({ runner }: OpenSession, work: () => T | Promise<T>): Promise<T> {
    runner.stop()
    await runner.idle()
    return work()
  }

  /** An undo that an earlier host began is finished when its session is opened, and with its work at the latest. */
  function finishUndos(workId: string): void {
    for (const sessionId of undo.unfinished(workId)) {
      if (sessions.known(sessionId) !== undefined) continue
      sessions.use(sessionId, async () => undefined).catch((error: unknown) => deps.log.bug(error, 'undo'))
    }
  }

  return {
    async *watchList(workId, signal) {
      finishUndos(workId)
      const changes = sessions.listChanges(signal)
      yield { sessions: list(workId) }
      for await (const changed of changes) if (changed === workId) yield { sessions: list(workId) }
    },
    create(workId) {
      deps.rootOf(workId)
      const now = clock.now()
      const memory = deps.memory.get(workId)
      const session: Session = {
        sessionId: random.id(),
        workId,
        title: '',
        createdAt: now,
        updatedAt: now,
        messages: 0,
        branchedFrom: null,
      }
      repository.add({
        session,
        isTitled: false,
        language: deps.language(),
        turn: 0,
        epoch: 0,
        lastSeq: 0,
        state: newAgentState(memory === undefined ? {} : { memory }),
        rules: [],
        stats: noSessionStats,
        queue: [],
        folders: [],
      })
      sessions.listChanged(workId)
      return session
    },
    rename: (sessionId, title) => sessions.use(sessionId, async ({ session }) => session.rename(title)),
    async remove(sessionId) {
      const { session } = repository.get(sessionId)
      await sessions.close(sessionId)
      gates.withdraw(sessionId)
      await deps.endCommands(sessionId)
      repository.remove(sessionId)
      undo.forget(session)
      deps.requests.forget(sessionId)
      sessions.listChanged(session.workId)
    },
    branch: (sessionId, turn) =>
      sessions.use(sessionId, async ({ session }) => {
        const from = session.record
        const next = repository.turnStart(sessionId, turn + 1)
        const end = { epoch: from.epoch, entries: session.log.length, state: atRest(session.state) }
        const { epoch, entries, state } = next ?? end
        const sessionCopy: Session = {
          ...from.session,
          sessionId: random.id(),
          createdAt: clock.now(),
          updatedAt: clock.now(),
          messages: turn,
          branchedFrom: sessionId,
        }
        session.flush()
        repository.together(() => {
          const bare = { rules: [], stats: noSessionStats, queue: [] }
          repository.add({ ...from, session: sessionCopy, turn, epoch, state, ...bare })
          repository.copy(sessionId, sessionCopy.sessionId, turn, { epoch, entries })
          endItems(sessionCopy.sessionId)
        })
        deps.folders.branched(sessionCopy.sessionId, from.folders)
        sessions.listChanged(sessionCopy.workId)
        return sessionCopy
      }),

    watch: (sessionId, afterSeq, signal) => sessions.watch(sessionId, afterSeq, signal),
    items: (sessionId, query) => sessions.use(sessionId, async ({ session }) => session.page(query)),

    send: (sessionId, message, signal) =>
      sessions.use(sessionId, (open) => sending.send(open, message, signal)),
    removeQueued: (sessionId, messageId) =>
      sessions.use(sessionId, async ({ session }) => session.dequeue(messageId)?.segments ?? []),
    sendQueued: (sessionId) => sessions.use(sessionId, async ({ runner }) => runner.sendQueued()),
    stop: (sessionId) => sessions.use(sessionId, async ({ runner }) => runner.stop()),
    recover: (sessionId) =>
      sessions.use(sessionId, async ({ session, runner }) => {
        session.setCanRecover(false)
        session.holdQueue(false)
        runner.dispatch({ type: 'recover' })
      }),
    reset: (sessionId) => dispatch(sessionId, { type: 'user.reset' }),
    resend: (sessionId, turn, { segments, references }, signal) =>
      sessions.use(sessionId, async (open) => {
        const sent = repository
          .itemsOfTurn(sessionId, turn)
          .find((item) => item.kind === 'user' && item.how !== 'beside')
        const wanted = segments ?? (sent?.kind === 'user' ? sent.segments : undefined)
        if (wanted === undefined) throw new AppError({ code: 'session/empty-message' })
        await deps.needModel(signal)
        const message = { segments: wanted, how: 'send' as const, references }
        const log = logBefore(open.session, turn)
        const items = await deps.submits.submit({ ...submitOf(open, message, signal), log })
        await halted(open, () => {
          cutConversation(open, turn)
          open.runner.begin(wanted, 'send', items)
        })
      }),
    carryOut: (sessionId) => dispatch(sessionId, { type: 'user.carry-out' }),
    setMode: (sessionId, mode) => dispatch(sessionId, { type: 'user.mode', mode }),
    editCourse: (sessionId, edit) => dispatch(sessionId, { type: 'user.course', edit }),
    answerQuestion: (sessionId, answer, signal) =>
      sessions.use(sessionId, (open) => sending.answer(open, answer, signal)),
    compact: (sessionId) => sessions.use(sessionId, ({ runner }) => runner.compact()),
    assessFolder: (sessionId, path) => sessions.use(sessionId, (open) => deps.folders.look(open, path)),
    addFolder: (sessionId, path, isTrusted) =>
      sessions.use(sessionId, (open) => deps.folders.add(open, path, isTrusted)),
    removeFolder: (sessionId, path) =>
      sessions.use(sessionId, async (open) => deps.folders.remove(open, path)),
    trustFolder: (sessionId, path, isTrusted) =>
      sessions.use(sessionId, (open) => deps.folders.setTrusted(open, path, isTrusted)),
    heardTrust(root, isTrusted) {
      for (const open of sessions.all()) deps.folders.heardTrust(open, root, isTrusted)
    },

    answerGate: (sessionId, answer) =>
      sessions.use(sessionId, async ({ session, runner }) => {
        await runner.answerGate(answer)
        session.keep({ rules: gates.sessionRules(sessionId) })
      }),
    gateDiff: (sessionId, gateId, callId, path) =>
      sessions.use(sessionId, async () => gates.diff(sessionId, gateId, callId, path)),

    undoPreview: (sessionId, turn) => sessions.use(sessionId, (open) => undo.preview(open, turn)),
    undo: (sessionId, turn, what, choices) =>
      sessions.use(sessionId, (open) =>
        halted(open, async () => {
          const result = await undo.undo(open, { turn, what, choices })
          open.session.setCanRecover(false)
          return result
        }),
      ),
    redoPreview: (sessionId) => sessions.use(sessionId, (open) => undo.redoPreview(open)),
    redo: (sessionId, choices) =>
      sessions.use(sessionId, (open) => halted(open, () => undo.redo(open, choices))),

    search: (query, workId) => repository.search({ query, workId, limit: foundHits }),
    all: (sessionId) =>
      sessions.use(sessionId, async ({ session }) => {
        session.flush()
        const items = repository.allItems(sessionId)
        return { session: session.session, language: session.language, items }
      }),
    context: (sessionId) => sessions.use(sessionId, async ({ session }) => session.sent),
    stats: (sessionId) => sessions.use(sessionId, async ({ session }) => session.record.stats),
    requests(sessionId) {
      repository.get(sessionId)
      return deps.requests.of(sessionId)
    },
    isBusy: () => sessions.all().some(({ runner }) => runner.isBusy),
    async close() {
      stopHearing()
      await sessions.closeAll()
    },
  }
}

const LeftState = z.object({ waiting: z.string(), gates: z.array(z.unknown()) })

/** An earlier host left it with a gate or a question open. */
function isLeftWaiting(stored: unknown): boolean {
  const { data } = LeftState.safeParse(stored)
  return data !== undefined && (data.gates.length > 0 || data.waiting === 'answer')
}
