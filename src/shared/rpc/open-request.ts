import type { AppError } from '../errors.ts'

/** The receiver of the answers to one id. */
export type Receiver = {
  onItem(value: unknown): void
  /** The value of a call's result; nothing for the end of a stream. */
  onEnd(value: unknown): void
  onFailed(error: AppError): void
}

/**
 * Sends a request. Returns `cancel`, which also stops listening.
 *
 * Errors: throws `rpc/closed`, and for an input that JSON cannot carry.
 */
export type OpenRequest = (
  t: 'call' | 'stream',
  method: string,
  input: unknown,
  receiver: Receiver,
) => () => void
