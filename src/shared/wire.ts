/** Seven kinds of frames between window and host: plain JSON; `id` is the caller's, unique on its connection. */
import type { ErrorInfo } from './errors.ts'

/** A frame from the caller. `cancel` ends a call or a stream; the answer to it is `end` or `failed`. */
export type RequestFrame =
  | { t: 'call'; id: number; method: string; input: unknown }
  | { t: 'stream'; id: number; method: string; input: unknown }
  | { t: 'cancel'; id: number }

/** A frame from the host. Exactly one of `result`, `end`, `failed` closes an id. */
export type ResponseFrame =
  | { t: 'result'; id: number; value: unknown }
  | { t: 'item'; id: number; value: unknown }
  | { t: 'end'; id: number }
  | { t: 'failed'; id: number; error: ErrorInfo }

export type Frame = RequestFrame | ResponseFrame

/**
 * One end of a connection. A transport consists of two of these.
 *
 * Shape: frames arrive in order, and never inside the `send` that caused them. `send` throws only for a value
 * that is not JSON (a cycle, a bigint), never because of the connection; a frame sent after the close is
 * dropped. Received frames are not checked yet: `serve` and `connect` do that. One `onFrame` listener. `onClose` fires
 * once on either end, whichever closed, also for a listener that is added later.
 * Units: `bufferedBytes` has been sent and has not left this process yet; 0 where the transport cannot tell.
 */
export type Port<Out extends Frame = Frame, In extends Frame = Frame> = {
  send(frame: Out): void
  onFrame(listener: (frame: In) => void): void
  onClose(listener: () => void): void
  close(): void
  bufferedBytes(): number
}

export type ClientPort = Port<RequestFrame, ResponseFrame>
export type HostPort = Port<ResponseFrame, RequestFrame>
