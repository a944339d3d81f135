import type {
  MessageSegment,
  UnsentEvent,
  UnsentMessage,
} from '../../shared/domain/session/message-segment.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { UnsentRepository } from '../store/sessions/unsent-repository.ts'

export type UnsentMessages = ReturnType<typeof createUnsentMessages>

/** Messages that are being written in the windows and not sent yet. */
export function createUnsentMessages(deps: { clock: Clock; repository: UnsentRepository }) {
  const { clock, repository } = deps
  const changes = createBroadcast<{ workId: string; event: UnsentEvent }>()
  let seq = 0

  const tell = (workId: string, message: UnsentMessage): number => {
    seq += 1
    changes.send({ workId, event: { seq, isAll: false, messages: [message] } })
    return seq
  }

  return {
    /** Yields all messages of the folder, then each change. */
    async *watch(workId: string, signal: AbortSignal): AsyncGenerator<UnsentEvent, void, void> {
      const later = changes.subscribe(signal)
      yield { seq, isAll: true, messages: repository.list(workId) }
      for await (const change of later) if (change.workId === workId) yield change.event
    },
    /** Yields each message of whichever folder that is kept from now on. Ends with the signal. */
    async *changes(signal: AbortSignal): AsyncGenerator<UnsentMessage, void, void> {
      for await (const { event } of changes.subscribe(signal)) yield* event.messages
    },
    /** Stores a message; the last writer wins. Returns the change's number. Errors: `session/not-found`. */
    keep(workId: string, message: UnsentMessage): number {
      const { sessionId, about, segments } = message
      if (segments.length === 0) repository.discard(workId, { sessionId, about })
      else if (!repository.keep(workId, message, clock.now()))
        throw new AppError({ code: 'session/not-found', sessionId: sessionId ?? '' })
      return tell(workId, message)
    },
    /** Removes a message that is in the session by now: a window that is closed at once does not show it again. */
    sent(sessionId: string, segments: readonly MessageSegment[]): void {
      for (const { workId, place } of repository.takeSent(sessionId, segments))
        tell(workId, { ...place, segments: [] })
    },
    close: () => changes.end(),
  }
}
