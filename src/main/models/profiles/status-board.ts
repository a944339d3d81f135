import { type ModelStatus, noModel } from '../../../shared/domain/model/model-status.ts'
import type { Clock } from '../../deps.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import { isDeepStrictEqual } from '../../platform/node/late-node.ts'

/** How often a server that does not answer is asked again while a window shows it. */
const retryMs = 10_000

/** What is known of the model in use, for everyone who watches. */
export type StatusBoard = {
  now(): ModelStatus
  tell(next: ModelStatus): void
  /** The status now, then after each change. */
  watch(signal: AbortSignal): AsyncGenerator<ModelStatus, void, void>
  /** Ends every watch. */
  end(): void
}

/**
 * A board that begins with no model. `askAgain` is called now and then while a server is unreachable and
 * somebody watches; its answer is expected by `tell`. An engine is never started for a look.
 */
export function createStatusBoard(deps: { clock: Clock }, askAgain: () => void): StatusBoard {
  const changes = createBroadcast<ModelStatus>()
  let status = noModel
  let watchers = 0
  let timer: { cancel(): void } | undefined

  function wait(): void {
    timer?.cancel()
    const isServer = status.backend === 'koboldcpp' || status.backend === 'openai'
    const isWaiting = watchers > 0 && status.state === 'unreachable' && isServer
    timer = isWaiting ? deps.clock.setTimeout(askAgain, retryMs) : undefined
  }

  return {
    now: () => status,
    tell(next) {
      const isNews = !isDeepStrictEqual(next, status)
      status = next
      if (isNews) changes.send(next)
      wait()
    },
    async *watch(signal) {
      const later = changes.subscribe(signal)
      watchers += 1
      wait()
      try {
        yield status
        yield* later
      } finally {
        watchers -= 1
        wait()
      }
    },
    end() {
      watchers = 0
      timer?.cancel()
      changes.end()
    },
  }
}
