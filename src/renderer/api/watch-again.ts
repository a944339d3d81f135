import { AppError, isAppError } from '../../shared/errors.ts'
import type { ConnectionStatus } from './keep-connected.ts'

export type WatchAgainOptions<E> = {
  /**
   * Asks for the stream with the number of the last event that was seen, if any was. `options` are for the
   * client's method.
   */
  watch(afterSeq: number | undefined, options: { signal?: AbortSignal }): AsyncIterable<E>
  /** An event's number; without it every new connection starts the stream from its beginning. */
  seqOf?(event: E): number | undefined
  signal?: AbortSignal
}

/**
 * Yields a stream across lost connections: waits for the next connection and asks for the events that were not seen.
 * Ends when the stream itself ends or `signal` aborts.
 *
 * Errors: what the stream fails with, other than `rpc/closed`; `rpc/closed` once the host refuses the window.
 */
export async function* watchAgain<E>(
  connection: ConnectionStatus,
  { watch, seqOf, signal }: WatchAgainOptions<E>,
): AsyncGenerator<E, void, void> {
  let afterSeq: number | undefined
  while (await isOpen(connection, signal)) {
    try {
      for await (const event of watch(afterSeq, signal ? { signal } : {})) {
        if (signal?.aborted) return
        afterSeq = seqOf?.(event) ?? afterSeq
        yield event
      }
      return
    } catch (error) {
      if (!isAppError(error, 'rpc/closed')) throw error
    }
  }
}

/** Resolves when the connection is open, with false when `signal` aborts first. */
function isOpen(connection: ConnectionStatus, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stopListening = connection.onState(look)
    const abort = () => settle(() => resolve(false))
    signal?.addEventListener('abort', abort, { once: true })
    look()

    function look(): void {
      if (signal?.aborted) abort()
      else if (connection.state() === 'open') settle(() => resolve(true))
      else if (connection.state() === 'refused') settle(() => reject(new AppError({ code: 'rpc/closed' })))
    }

    function settle(finish: () => void): void {
      stopListening()
      signal?.removeEventListener('abort', abort)
      finish()
    }
  })
}
