import { delay, systemTimers } from '../../../shared/delay.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import type { Connection } from '../connection.ts'
import type { SliceContext } from './slice.ts'

/** Follows a subscription until the returned function is called; reopens it after a loss or a slow reader. */
export type Follow = <E>(
  open: (signal: AbortSignal) => AsyncIterable<E>,
  onEvent: (event: E) => void,
  onFailure?: (error: unknown) => void,
) => () => void

const retryDelayMs = 100

export function createFollow(connection: Connection): Follow {
  return (open, onEvent, onFailure) => {
    const controller = new AbortController()
    const { signal } = controller
    const run = async () => {
      while (!signal.aborted) {
        await untilOpen(connection, signal)
        if (signal.aborted) return
        try {
          for await (const event of open(signal)) {
            if (signal.aborted) return
            onEvent(event)
          }
          return
        } catch (error) {
          if (signal.aborted) return
          if (!isAppError(error, 'rpc/closed') && !isAppError(error, 'rpc/too-slow')) {
            onFailure?.(error)
            return
          }
        }
        await delay(systemTimers, retryDelayMs)
      }
    }
    void run()
    return () => controller.abort()
  }
}

function untilOpen(connection: Connection, signal: AbortSignal): Promise<void> {
  if (connection.state() === 'open' || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      unsubscribe()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const unsubscribe = connection.onState((state) => state === 'open' && done())
    signal.addEventListener('abort', done, { once: true })
  })
}

/** Returns a failure as the user is told it. An error that is no AppError is a fault of the window itself. */
export function infoOf(error: unknown): ErrorInfo {
  if (error instanceof AppError) return error.info
  return { code: 'internal/bug', logId: error instanceof Error ? error.message : String(error) }
}

/** Runs a task; its failure becomes the `error` of the slice, which a success clears. False where it failed. */
export async function tried(
  patch: SliceContext['patch'],
  slice: 'consent' | 'history' | 'removed',
  task: () => Promise<unknown>,
): Promise<boolean> {
  const error = await task().then(() => null, infoOf)
  patch(slice, { error })
  return error === null
}
