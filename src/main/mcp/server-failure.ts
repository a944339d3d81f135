import { AppError, type ErrorInfo } from '../../shared/errors.ts'

/**
 * Why a call of a server's tool has no result. `problem`: why the server failed; null where nothing tells it.
 *
 * Shape: `during`: the call may have been carried out; `down`, `changed` (the tool is another now), or `forgotten` (the
 * server does not know this connection any more): it was not made.
 */
export class ServerFailure extends Error {
  readonly when: 'down' | 'during' | 'changed' | 'forgotten'
  readonly problem: ErrorInfo | null

  constructor(when: ServerFailure['when'], problem: ErrorInfo | null = null) {
    super(`${when}: ${problem?.code ?? 'no reason told'}`)
    this.name = 'ServerFailure'
    this.when = when
    this.problem = problem
  }
}

/** Units: UTF-16. */
const limitWords = 300

/** Returns why a server could not be started, reached or asked: an error, or what the server wrote before it ended. */
export function problemOf(error: unknown): ErrorInfo {
  return error instanceof AppError ? error.info : { code: 'mcp/failed', reason: lastWords(error) }
}

/** Returns the end of a message, which mostly says more than its beginning. */
export function lastWords(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(-limitWords)
}
