import { z } from 'zod'
import { MessageSegment } from './message-segment.ts'

/**
 * The place where an unsent message is being written.
 *
 * Shape: `sessionId` null: the message box of a folder with no session open. `about`: the message that is rewritten
 * or the call that is answered; null: it is the session's next message.
 */
export const UnsentPlace = z.object({ sessionId: z.string().nullable(), about: z.string().nullable() })
export type UnsentPlace = z.infer<typeof UnsentPlace>

export const UnsentMessage = UnsentPlace.extend({ segments: z.array(MessageSegment).max(1000) })
export type UnsentMessage = z.infer<typeof UnsentMessage>

/**
 * The unsent messages of a folder: all of them (`isAll`), or those that changed.
 *
 * Shape: `seq` counts the changes within one run of the host. Empty `segments`: the message is gone.
 */
export const UnsentEvent = z.object({ seq: z.int(), isAll: z.boolean(), messages: z.array(UnsentMessage) })
export type UnsentEvent = z.infer<typeof UnsentEvent>
