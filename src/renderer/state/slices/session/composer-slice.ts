import type { MessageSegment } from '../../../../shared/domain/session/message-segment.ts'
import type { MessageHow } from '../../../../shared/domain/session/session-item.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { answerKey, unsentKey } from '../unsent-slice.ts'

const initial = {
  /** Why the last request in the open session failed; shown beside the message box. */
  failure: null as ErrorInfo | null,
  editing: null as number | null,
  /** A message that the box shall show; null once it does. */
  wanted: null as { segments: MessageSegment[] } | null,
}

/** Returns a function that asks the open session; null is a failure, told beside the message box. */
export function sessionRequest({ get, patch, tell }: SliceContext) {
  return async <T>(task: (sessionId: string) => Promise<T>): Promise<T | null> => {
    const sessionId = get().conversation.current?.sessionId
    if (sessionId === undefined) return null
    patch('composer', { failure: null })
    try {
      return await task(sessionId)
    } catch (error) {
      if (get().conversation.current?.sessionId !== sessionId) tell(error)
      else patch('composer', { failure: infoOf(error) })
      return null
    }
  }
}

/** The message box of the open session, and what is sent from it. Its text is in `unsent`. */
export function createComposerSlice(context: SliceContext) {
  const { client, get, patch } = context
  const ask = sessionRequest(context)

  const written = (key: string) => get().unsent.byKey[key] ?? []
  const isFree = (key: string) => written(key).every((one) => one.kind === 'text' && one.text.trim() === '')

  /** Returns what was written into the edited message. */
  const endEditing = (key: string): MessageSegment[] => {
    const edited = written(key)
    patch('composer', { editing: null })
    get().unsent.keep(key, [])
    return edited
  }

  return {
    ...initial,

    /**
     * Sends a message; returns what became of it, null where it was not accepted. `begunAt`: when its first key was
     * pressed, for the gate that may have stood there. `dropsSpeculation`: also where an acceptance waits, which is
     * given up.
     */
    async send(segments: MessageSegment[], how: MessageHow, begunAt: number, dropsSpeculation = false) {
      const { askingGate, sincePainted } = get().conversation
      const gateId = askingGate()
      const sincePaintedMs = gateId === undefined ? null : sincePainted(gateId, begunAt)
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
    /** Returns false where the host refused the message. */
    async resend(turn: number, segments?: MessageSegment[]) {
      const answer = await ask((sessionId) =>
        get().references.sendAsking(segments ?? [], (references) =>
          client['session.resend']({ sessionId, turn, references, ...(segments ? { segments } : {}) }),
        ),
      )
      return answer !== null
    },
    /** Returns false where the host refused the message. */
    async answerQuestion(callId: string, segments: MessageSegment[]) {
      const answer = await ask((sessionId) =>
        get().references.sendAsking(segments, (references) =>
          client['session.answerQuestion']({ sessionId, callId, segments, references }),
        ),
      )
      return answer !== null
    },
    /** Empties the field of a closed question: its text comes into the box, unless the question was answered. */
    leaveAnswer(callId: string, isAnswered: boolean) {
      const key = answerKey(get(), callId)
      const answer = written(key)
      get().unsent.keep(key, [])
      if (!isAnswered && answer.length > 0)
        get().composer.putBack(answer, get().conversation.current?.sessionId)
    },

    async removeQueued(messageId: string) {
      const answer = await ask((sessionId) => client['session.removeQueued']({ sessionId, messageId }))
      return answer?.segments ?? null
    },
    /** Moves a waiting message into the box, and says why it was not sent where that was tried. */
    async takeBack(messageId: string) {
      const key = unsentKey(get())
      const { queue = [] } = get().conversation.current?.state ?? {}
      const refusal = queue.find((one) => one.messageId === messageId)?.refusal
      const segments = await get().composer.removeQueued(messageId)
      // Another window was quicker.
      if (segments === null || segments.length === 0) return
      get().composer.putBack(segments, key)
      if (refusal !== undefined) patch('composer', { failure: refusal })
    },
    async sendQueued() {
      await ask((sessionId) => client['session.sendQueued']({ sessionId }))
    },

    /** Puts a message into the box, in place of what stands there. */
    fillBox: (segments: MessageSegment[]) => patch('composer', { wanted: { segments } }),
    filledBox: () => patch('composer', { wanted: null }),
    /** Puts a message in front of what stands in the box, or in that of another `unsentKey`. */
    putBack(segments: MessageSegment[], place?: string) {
      const key = place ?? unsentKey(get())
      const joined = isFree(key)
        ? segments
        : [...segments, { kind: 'text' as const, text: '\n' }, ...written(key)]
      get().unsent.keep(key, joined)
      if (key === unsentKey(get())) get().composer.fillBox(joined)
    },
    /** Puts a message into the box, or that of another `unsentKey`, where nothing else stands in it. */
    giveBack(segments: MessageSegment[], place?: string) {
      if (isFree(place ?? unsentKey(get()))) get().composer.putBack(segments, place)
    },

    /** Writes a turn's message anew: sending it removes the turn's answers. */
    edit(turn: number) {
      const { items = [] } = get().conversation.current ?? {}
      const message = items.find((item) => item.kind === 'user' && item.turn === turn)
      if (message?.kind !== 'user') return
      patch('composer', { editing: turn })
      const key = unsentKey(get())
      if (written(key).length === 0) get().unsent.keep(key, message.segments)
    },
    stopEditing() {
      if (get().composer.editing !== null) endEditing(unsentKey(get()))
    },
    /** Puts the new text of an edited message, kept under `key`, into the box after the message was removed. */
    keepEdited(key: string) {
      const edited = endEditing(key)
      if (edited.length > 0) get().composer.putBack(edited)
    },
    closeFailure: () => patch('composer', { failure: null }),
    /** Called as another session is shown, or none. */
    clear: () => patch('composer', initial),
  }
}
