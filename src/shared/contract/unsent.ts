import { z } from 'zod'
import { isTooLong } from '../domain/session/message-segment.ts'
import { UnsentEvent, UnsentMessage } from '../domain/session/unsent-message.ts'
import { call, stream } from './method.ts'

const InWork = z.object({ workId: z.string() })

/** Messages that are being written: the host keeps them, so that they outlast a window. */
export const unsentContract = {
  /** Sends all messages of the folder, then each change, those from this window too. */
  'unsent.watch': stream(InWork, UnsentEvent),
  /** Stores a message; the last writer wins. Without segments it is removed. Errors: `session/not-found`. */
  'unsent.keep': call(
    InWork.extend({ message: UnsentMessage.refine(({ segments }) => !isTooLong(segments)) }),
    z.object({ seq: z.int() }),
  ),
}
