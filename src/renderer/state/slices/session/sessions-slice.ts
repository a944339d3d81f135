import type { CourseEdit } from '../../../../shared/domain/session/agent-course.ts'
import { AgentMode } from '../../../../shared/domain/session/agent-step.ts'
import type { GateAnswerInput } from '../../../../shared/domain/session/gate.ts'
import type { MessageSegment } from '../../../../shared/domain/session/message-segment.ts'
import type { ListedSession, SessionHit } from '../../../../shared/domain/session/session.ts'
import type { MessageHow } from '../../../../shared/domain/session/session-item.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import {
  foldSession,
  frontGate,
  newSessionView,
  prependItems,
  type SessionView,
} from '../../reducers/session-reducer.ts'
import { infoOf } from '../follow.ts'
import { saveText } from '../save-text.ts'
import type { SliceContext } from '../slice.ts'
import { answerKey, draftKey } from './draft-key.ts'
import { gateKey } from './gates-slice.ts'
import { newSessions } from './new-sessions.ts'
import { modeOf } from './session-mode.ts'
import { speculationGate } from './speculation-slice.ts'

/** The outcome of a message; null where it was not taken. */
type Sent = 'message' | 'queued' | 'beside' | 'approval' | 'refusal' | null

export type SessionsSlice = {
  /** Sessions of the open folder, newest first. */
  list: ListedSession[]
  isListLoaded: boolean
  listError: ErrorInfo | null
  current: SessionView | null
  /** Why the last request in the current session failed; shown beside the message box. */
  failure: ErrorInfo | null
  /** The turn whose message is being edited in the box. */
  editing: number | null
  /** What the box is to show now, until it does. */
  wanted: { segments: MessageSegment[] } | null
  /** Follows the sessions of a folder; null: of none. */
  follow(workId: string | null): void
  open(sessionId: string): void
  /** Opens the session that this window showed last in the folder, else the newest, once the list is there. */
  openLast(): void
  /** A new session, opened. */
  create(): Promise<string | null>
  close(): void
  rename(sessionId: string, title: string): Promise<void>
  remove(sessionId: string): Promise<void>
  /** A new session with everything up to and including `turn`, opened unless another one is in view by then. */
  branch(turn: number): Promise<void>
  /** Loads the items before the first loaded one. */
  loadMore(): Promise<void>
  /**
   * `begunAt`: when its first key was pressed, for the gate that may have stood there. `dropsSpeculation`: also where
   * an acceptance waits, which is given up.
   */
  send(
    segments: MessageSegment[],
    how: MessageHow,
    begunAt: number,
    dropsSpeculation?: boolean,
  ): Promise<Sent>
  /** The gate that a typed yes or no answers. */
  askingGate(): string | undefined
  /** Removes a waiting message from the queue and returns its content. */
  removeQueued(messageId: string): Promise<MessageSegment[] | null>
  /** Moves a waiting message into the box, and says why it was not sent where that was tried. */
  takeBack(messageId: string): Promise<void>
  /** Sends what waits since a stop. */
  sendQueued(): Promise<void>
  stop(): Promise<void>
  recover(): Promise<void>
  reset(): Promise<void>
  resend(turn: number, segments?: MessageSegment[]): Promise<boolean>
  /** The mode that the next new session begins with. */
  firstMode: AgentMode
  /** Sets the mode of the open session; without one, of the next. */
  setMode(mode: AgentMode): Promise<void>
  /** Leaves plan mode and carries the plan out. */
  carryOut(): Promise<void>
  /** False where it failed. */
  editCourse(edit: CourseEdit): Promise<boolean>
  /** False where it was not taken. */
  answerQuestion(callId: string, segments: MessageSegment[]): Promise<boolean>
  /** Empties the field of a closed question: its text comes into the box, unless the question was answered. */
  leaveAnswer(callId: string, isAnswered: boolean): void
  compact(): Promise<void>
  /** Answers a gate; returns why the answer was not accepted, to be shown at the gate. */
  answerGate(answer: GateAnswerInput): Promise<ErrorInfo | null>
  /** The gate is on the screen from now on. `shown`: its `gateKey`; another one is painted anew. */
  gatePainted(gateId: string, shown: string): void
  /**
   * Returns how long a gate had been on the screen at `at`; null where the gate, as it is now, never was. Units: ms,
   * negative before.
   */
  sincePainted(gateId: string, at: number): number | null
  /** The item that is to be brought into sight; older pages are loaded until it is there. */
  target: string | null
  goTo(itemId: string | null): void
  /** Opens the place that a search found, with its folder. False where that cannot be opened: `work.error` says why. */
  openFound(hit: SessionHit): Promise<boolean>
  /** The next mode in the order of Alt+M. */
  nextMode(): Promise<void>
  /** Saves the conversation as a Markdown file. */
  exportMarkdown(): Promise<void>
  /** Puts a message into the box, in place of what stands there. */
  fillBox(segments: MessageSegment[]): void
  /** The box shows what was wanted. */
  filledBox(): void
  /** Puts a message in front of what stands in the box, or in that of another `draftKey`. */
  putBack(segments: MessageSegment[], key?: string): void
  /** Puts a message into the box, or that of another `draftKey`, where nothing else stands in it. */
  giveBack(segments: MessageSegment[], key?: string): void
  /** Writes a turn's message anew: sending it takes the turn's answers away. */
  edit(turn: number): void
  stopEditing(): void
  closeFailure(): void
}

const pageLength = 50

export function createSessionsSlice(context: SliceContext): SessionsSlice {
  const { client, get, patch, follow, memory } = context
  const painted = new Map<string, { shown: string; at: number }>()
  let stopList: (() => void) | undefined
  let followed: string | null = null
  let stopCurrent: (() => void) | undefined

  const put = (sessionId: string, change: (view: SessionView) => SessionView) => {
    const { current } = get().sessions
    if (current?.sessionId !== sessionId) return
    const next = change(current)
    if (next !== current) patch('sessions', { current: next })
  }
  const remember = (sessionId: string) => {
    const root = get().work.current?.root
    if (root !== undefined) memory.write(`session ${root}`, sessionId)
  }

  /** Asks something of the current session; a failure stands beside the message box. */
  const ask = async <T>(task: (sessionId: string) => Promise<T>): Promise<T | null> => {
    const sessionId = get().sessions.current?.sessionId
    if (sessionId === undefined) return null
    patch('sessions', { failure: null })
    try {
      return await task(sessionId)
    } catch (error) {
      const failure = infoOf(error)
      if (get().sessions.current?.sessionId === sessionId) patch('sessions', { failure })
      else get().ui.toastError(failure)
      return null
    }
  }
  /** Asks something about a session of the list. */
  const attempt = async <T>(task: () => Promise<T>): Promise<T | null> => {
    try {
      return await task()
    } catch (error) {
      get().ui.toastError(infoOf(error))
      return null
    }
  }
  /** Returns what was written into the edited message. */
  const endEditing = (key: string): MessageSegment[] => {
    const written = get().drafts.byKey[key] ?? []
    patch('sessions', { editing: null })
    get().drafts.keep(key, [])
    return written
  }
  const act = (task: (sessionId: string) => Promise<unknown>) => async () => {
    await ask(task)
  }

  return {
    list: [],
    isListLoaded: false,
    listError: null,
    current: null,
    failure: null,
    editing: null,
    wanted: null,
    target: null,

    follow(workId) {
      stopList?.()
      stopList = undefined
      // After a reconnect the list stays until it comes anew.
      if (workId !== followed) patch('sessions', { list: [], isListLoaded: false, listError: null })
      followed = workId
      if (workId === null) return
      stopList = follow(
        (signal) => client['session.watchList']({ workId }, { signal }),
        ({ sessions }) => {
          const isFirst = !get().sessions.isListLoaded
          patch('sessions', { list: sessions, isListLoaded: true, listError: null })
          if (isFirst && get().ui.view === 'session') get().sessions.openLast()
        },
        (error) => patch('sessions', { listError: infoOf(error), isListLoaded: true }),
      )
    },

    open(sessionId) {
      if (get().sessions.current?.sessionId === sessionId && get().sessions.current?.status !== 'failed')
        return
      stopCurrent?.()
      patch('sessions', { current: newSessionView(sessionId), failure: null, editing: null, wanted: null })
      remember(sessionId)
      stopCurrent = follow(
        (signal) => {
          const seq = get().sessions.current?.seq ?? 0
          return client['session.watch']({ sessionId, ...(seq > 0 ? { afterSeq: seq } : {}) }, { signal })
        },
        (event) => {
          const edited = get().sessions.editing === null ? null : draftKey(get().sessions)
          put(sessionId, (view) => foldSession(view, event))
          if (edited === null || draftKey(get().sessions) === edited) return
          // The edited message was taken away: its new text comes into the box.
          const written = endEditing(edited)
          if (written.length > 0) get().sessions.putBack(written)
        },
        (error) => put(sessionId, (view) => ({ ...view, status: 'failed', error: infoOf(error) })),
      )
    },
    openLast() {
      const root = get().work.current?.root
      if (root === undefined || get().sessions.current !== null) return
      const { list, isListLoaded } = get().sessions
      const last = memory.read(`session ${root}`)
      const wanted = list.find((one) => one.sessionId === last) ?? list[0]
      if (isListLoaded && wanted) get().sessions.open(wanted.sessionId)
    },
    create: newSessions(context, attempt),
    close() {
      stopCurrent?.()
      stopCurrent = undefined
      painted.clear()
      patch('sessions', { current: null, failure: null, editing: null, wanted: null })
    },
    async rename(sessionId, title) {
      await attempt(() => client['session.rename']({ sessionId, title }))
    },
    async remove(sessionId) {
      const answer = await attempt(() => client['session.remove']({ sessionId }))
      if (answer === null) return
      if (get().sessions.current?.sessionId === sessionId) get().sessions.close()
    },
    async branch(turn) {
      const from = get().sessions.current?.sessionId
      const answer = await ask((sessionId) => client['session.branch']({ sessionId, turn }))
      if (answer && get().sessions.current?.sessionId === from) get().sessions.open(answer.session.sessionId)
    },

    async loadMore() {
      const view = get().sessions.current
      const first = view?.items[0]
      if (!view?.hasMore || view.isLoadingMore || !first) return
      put(view.sessionId, (one) => ({ ...one, isLoadingMore: true }))
      const page = await ask((sessionId) =>
        client['session.items']({ sessionId, before: first.seq, limit: pageLength }),
      )
      put(view.sessionId, (one) => (page ? prependItems(one, page) : { ...one, isLoadingMore: false }))
    },

    askingGate: () => speculationGate(get())?.gateId ?? get().sessions.current?.state?.openGates[0],
    async send(segments, how, begunAt, dropsSpeculation = false) {
      const gateId = get().sessions.askingGate()
      const sincePaintedMs = gateId === undefined ? null : get().sessions.sincePainted(gateId, begunAt)
      const gate = gateId === undefined || sincePaintedMs === null ? null : { gateId, sincePaintedMs }
      const answer = await ask((sessionId) =>
        get().references.sendAsking(segments, (references) =>
          client['session.send']({
            sessionId,
            segments,
            how,
            gate,
            references,
            ...(dropsSpeculation ? { dropsSpeculation } : {}),
          }),
        ),
      )
      return answer?.became ?? null
    },
    async removeQueued(messageId) {
      const answer = await ask((sessionId) => client['session.removeQueued']({ sessionId, messageId }))
      return answer?.segments ?? null
    },
    async takeBack(messageId) {
      const key = draftKey(get().sessions)
      const { queue = [] } = get().sessions.current?.state ?? {}
      const refusal = queue.find((one) => one.messageId === messageId)?.refusal
      const segments = await get().sessions.removeQueued(messageId)
      // Another window was quicker.
      if (segments === null || segments.length === 0) return
      get().sessions.putBack(segments, key)
      if (refusal !== undefined) patch('sessions', { failure: refusal })
    },
    sendQueued: act((sessionId) => client['session.sendQueued']({ sessionId })),
    stop: act((sessionId) => client['session.stop']({ sessionId })),
    recover: act((sessionId) => client['session.recover']({ sessionId })),
    reset: act((sessionId) => client['session.reset']({ sessionId })),
    compact: act((sessionId) => client['session.compact']({ sessionId })),
    carryOut: act((sessionId) => client['session.carryOut']({ sessionId })),
    async resend(turn, segments) {
      const answer = await ask((sessionId) =>
        get().references.sendAsking(segments ?? [], (references) =>
          client['session.resend']({ sessionId, turn, references, ...(segments ? { segments } : {}) }),
        ),
      )
      return answer !== null
    },
    firstMode: 'ask',
    async setMode(mode) {
      if (get().sessions.current === null) patch('sessions', { firstMode: mode })
      await ask((sessionId) => client['session.setMode']({ sessionId, mode }))
    },
    async nextMode() {
      const mode = modeOf(get().sessions)
      if (mode === null) return
      const modes = AgentMode.options
      await get().sessions.setMode(modes[(modes.indexOf(mode) + 1) % modes.length] ?? mode)
    },
    async exportMarkdown() {
      const answer = await ask((sessionId) => client['session.export']({ sessionId }))
      if (answer) saveText(answer.fileName, answer.markdown)
    },
    goTo: (target) => patch('sessions', { target }),
    async openFound({ workId, root, sessionId, itemId }) {
      const isHere = get().work.current?.workId === workId
      if (!isHere && !(await get().work.open(root))) return false
      get().sessions.open(sessionId)
      get().ui.showView('session')
      get().sessions.goTo(itemId)
      return true
    },
    editCourse: async (edit) =>
      (await ask((sessionId) => client['session.editCourse']({ sessionId, edit }))) !== null,
    async answerQuestion(callId, segments) {
      const answer = await ask((sessionId) =>
        get().references.sendAsking(segments, (references) =>
          client['session.answerQuestion']({ sessionId, callId, segments, references }),
        ),
      )
      return answer !== null
    },
    leaveAnswer(callId, isAnswered) {
      const { sessions, drafts } = get()
      const key = answerKey(sessions, callId)
      const written = drafts.byKey[key] ?? []
      drafts.keep(key, [])
      if (!isAnswered && written.length > 0) sessions.putBack(written, sessions.current?.sessionId)
    },
    async answerGate(answer) {
      const sessionId = get().sessions.current?.sessionId
      if (sessionId === undefined) return null
      try {
        await client['gate.answer']({ sessionId, answer })
        return null
      } catch (error) {
        return infoOf(error)
      }
    },

    gatePainted(gateId, shown) {
      if (painted.get(gateId)?.shown !== shown) painted.set(gateId, { shown, at: performance.now() })
    },
    sincePainted(gateId, at) {
      const since = painted.get(gateId)
      const ahead = speculationGate(get())
      const gate = ahead?.gateId === gateId ? ahead : frontGate(get().sessions.current)?.gate
      // A change after the painting has not been seen.
      const isOther = gate?.gateId === gateId && gateKey(gate) !== since?.shown
      return since === undefined || isOther ? null : at - since.at
    },
    fillBox: (segments) => patch('sessions', { wanted: { segments } }),
    filledBox: () => patch('sessions', { wanted: null }),
    putBack(segments, key = draftKey(get().sessions)) {
      const later = get().drafts.byKey[key] ?? []
      const isFree = later.every((one) => one.kind === 'text' && one.text.trim() === '')
      const joined = isFree ? segments : [...segments, { kind: 'text' as const, text: '\n' }, ...later]
      get().drafts.keep(key, joined)
      if (key === draftKey(get().sessions)) get().sessions.fillBox(joined)
    },
    giveBack(segments, key = draftKey(get().sessions)) {
      const written = get().drafts.byKey[key] ?? []
      if (written.every((one) => one.kind === 'text' && one.text.trim() === ''))
        get().sessions.putBack(segments, key)
    },
    edit(turn) {
      const message = get().sessions.current?.items.find((item) => item.kind === 'user' && item.turn === turn)
      if (message?.kind !== 'user') return
      patch('sessions', { editing: turn })
      const key = draftKey(get().sessions)
      if (!get().drafts.byKey[key]?.length) get().drafts.keep(key, message.segments)
    },
    stopEditing() {
      if (get().sessions.editing !== null) endEditing(draftKey(get().sessions))
    },
    closeFailure: () => patch('sessions', { failure: null }),
  }
}
