import { z } from 'zod'
import { MessageSegment } from './message-segment.ts'

/**
 * Where a message is written that was not sent yet.
 *
 * Shape: `sessionId` null: in the box of a folder with no session open. `about`: the message that is written anew
 * or the call that is answered; null: it is the session's next message.
 */
export const UnsentPlace = z.object({ sessionId: z.string().nullable(), about: z.string().nullable() })
export type UnsentPlace = z.infer<typeof UnsentPlace>

export const UnsentMessage = UnsentPlace.extend({ segments: z.array(MessageSegment).max(1000) })
export type UnsentMessage = z.infer<typeof UnsentMessage>

/**
 * What is unsent in a folder, or what of it has changed.
 *
 * Shape: `seq` counts changes of one host's run. No `segments`: nothing stands there any more.
 */
export const UnsentEvent = z.object({ seq: z.int(), isAll: z.boolean(), messages: z.array(UnsentMessage) })
export type UnsentEvent = z.infer<typeof UnsentEvent>
