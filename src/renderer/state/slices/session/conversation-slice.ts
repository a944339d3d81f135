import type { CourseEdit } from '../../../../shared/domain/session/agent-course.ts'
import { AgentMode } from '../../../../shared/domain/session/agent-step.ts'
import type { GateAnswerInput } from '../../../../shared/domain/session/gate.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import type { AppState } from '../../app-state.ts'
import {
  foldSession,
  frontGate,
  newSessionView,
  prependItems,
  type SessionView,
} from '../../reducers/session-reducer.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { unsentKey } from '../unsent-slice.ts'
import { sessionRequest } from './composer-slice.ts'
import { gateKey } from './gates-slice.ts'
import { speculationGate } from './speculation-slice.ts'

const pageLength = 50

/** Returns the mode that holds: of the open session, or of the next one. Null while it is not known. */
export function modeOf({ conversation }: Pick<AppState, 'conversation'>): AgentMode | null {
  const { current, firstMode } = conversation
  return current === null ? firstMode : (current.state?.mode ?? null)
}

/** Offers a text as a file to keep, where the browser or the desktop keeps what is downloaded. */
function saveText(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/markdown;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // The download has taken what it needs by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}

export function createConversationSlice(context: SliceContext) {
  const { client, get, patch, follow, memory } = context
  const painted = new Map<string, { shown: string; at: number }>()
  let stop: (() => void) | undefined

  const ask = sessionRequest(context)
  const act = (task: (sessionId: string) => Promise<unknown>) => async () => {
    await ask(task)
  }
  const put = (sessionId: string, change: (view: SessionView) => SessionView) => {
    const { current } = get().conversation
    if (current?.sessionId !== sessionId) return
    const next = change(current)
    if (next !== current) patch('conversation', { current: next })
  }

  return {
    current: null as SessionView | null,
    /** The item that is to be brought into sight; older pages are loaded until it is there. */
    target: null as string | null,
    /** The mode that the next new session begins with. */
    firstMode: 'ask' as AgentMode,

    open(sessionId: string) {
      const { current } = get().conversation
      if (current?.sessionId === sessionId && current.status !== 'failed') return
      stop?.()
      get().composer.clear()
      patch('conversation', { current: newSessionView(sessionId) })
      const root = get().work.current?.root
      if (root !== undefined) memory.write(`session ${root}`, sessionId)
      stop = follow(
        (signal) => {
          const seq = get().conversation.current?.seq ?? 0
          return client['session.watch']({ sessionId, ...(seq > 0 ? { afterSeq: seq } : {}) }, { signal })
        },
        (event) => {
          const edited = get().composer.editing === null ? null : unsentKey(get())
          put(sessionId, (view) => foldSession(view, event))
          if (edited !== null && unsentKey(get()) !== edited) get().composer.keepEdited(edited)
        },
        (error) => put(sessionId, (view) => ({ ...view, status: 'failed', error: infoOf(error) })),
      )
    },
    close() {
      stop?.()
      stop = undefined
      painted.clear()
      get().composer.clear()
      patch('conversation', { current: null })
    },
    /** Creates a session with all turns up to `turn`, and opens it unless another one is in view by then. */
    async branch(turn: number) {
      const from = get().conversation.current?.sessionId
      const answer = await ask((sessionId) => client['session.branch']({ sessionId, turn }))
      if (answer && get().conversation.current?.sessionId === from)
        get().conversation.open(answer.session.sessionId)
    },
    async loadMore() {
      const view = get().conversation.current
      const first = view?.items[0]
      if (!view?.hasMore || view.isLoadingMore || !first) return
      put(view.sessionId, (one) => ({ ...one, isLoadingMore: true }))
      const page = await ask((sessionId) =>
        client['session.items']({ sessionId, before: first.seq, limit: pageLength }),
      )
      put(view.sessionId, (one) => (page ? prependItems(one, page) : { ...one, isLoadingMore: false }))
    },
    goTo: (target: string | null) => patch('conversation', { target }),

    stop: act((sessionId) => client['session.stop']({ sessionId })),
    recover: act((sessionId) => client['session.recover']({ sessionId })),
    reset: act((sessionId) => client['session.reset']({ sessionId })),
    compact: act((sessionId) => client['session.compact']({ sessionId })),
    carryOut: act((sessionId) => client['session.carryOut']({ sessionId })),
    /** Sets the mode of the open session; without one, of the next. */
    async setMode(mode: AgentMode) {
      if (get().conversation.current === null) patch('conversation', { firstMode: mode })
      await ask((sessionId) => client['session.setMode']({ sessionId, mode }))
    },
    /** Switches to the next mode in the order of Alt+M. */
    async nextMode() {
      const mode = modeOf(get())
      if (mode === null) return
      const modes = AgentMode.options
      await get().conversation.setMode(modes[(modes.indexOf(mode) + 1) % modes.length] ?? mode)
    },
    async exportMarkdown() {
      const answer = await ask((sessionId) => client['session.export']({ sessionId }))
      if (answer) saveText(answer.fileName, answer.markdown)
    },
    /** Changes the course; returns false where that failed. */
    editCourse: async (edit: CourseEdit) =>
      (await ask((sessionId) => client['session.editCourse']({ sessionId, edit }))) !== null,

    /** Answers a gate; returns why the answer was not accepted, to be shown at the gate. */
    async answerGate(answer: GateAnswerInput): Promise<ErrorInfo | null> {
      const sessionId = get().conversation.current?.sessionId
      if (sessionId === undefined) return null
      try {
        await client['gate.answer']({ sessionId, answer })
        return null
      } catch (error) {
        return infoOf(error)
      }
    },
    /** The gate that a typed yes or no answers. */
    askingGate: () => speculationGate(get())?.gateId ?? get().conversation.current?.state?.openGates[0],
    /** Notes that a gate is on the screen. `shown`: its `gateKey`; with another one it counts as painted anew. */
    gatePainted(gateId: string, shown: string) {
      if (painted.get(gateId)?.shown !== shown) painted.set(gateId, { shown, at: performance.now() })
    },
    /** Returns how long the gate, as it is now, had been shown at `at`; null: never. Units: ms, negative before. */
    sincePainted(gateId: string, at: number) {
      const since = painted.get(gateId)
      const ofSpeculation = speculationGate(get())
      const gate =
        ofSpeculation?.gateId === gateId ? ofSpeculation : frontGate(get().conversation.current)?.gate
      // A change after the painting has not been seen.
      const isOther = gate?.gateId === gateId && gateKey(gate) !== since?.shown
      return since === undefined || isOther ? null : at - since.at
    },
  }
}
