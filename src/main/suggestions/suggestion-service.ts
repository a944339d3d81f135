import type { SessionEvent } from '../../shared/domain/session.ts'
import type { SuggestionOutcome, SuggestionPause, SuggestionState } from '../../shared/domain/suggestion.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import {
  SuggestionCoordinator,
  type SuggestionCoordinatorDeps,
  type SuggestionPlayer,
} from './suggestion-coordinator.ts'

export type SuggestionServiceDeps = SuggestionCoordinatorDeps & {
  /** Keeps the session in memory until what it gives is called. Errors: `session/not-found`. */
  hold(sessionId: string): Promise<() => void>
  /** Of a session that is in memory. */
  player(sessionId: string): HeardPlayer | undefined
  /** Each change of the settings, the app's and the folders'; they end with the signal. */
  settingsChanges(signal: AbortSignal): readonly AsyncIterable<unknown>[]
}

/** Its session's events end when it leaves the memory. */
type HeardPlayer = SuggestionPlayer & { session: Pick<LiveSession, 'watch'> }

/** What the user may type next, in every session in memory. */
export type SuggestionService = {
  /** A session has come into the memory: its turns are heard until it leaves, whether a window watches or not. */
  begin(sessionId: string): void
  /** Errors: `session/not-found`. */
  watch(
    sessionId: string,
    isAttended: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<SuggestionState, void, void>
  outcome(sessionId: string, suggestionId: string, outcome: SuggestionOutcome): boolean
  /** A turn of the session has ended, or a speculation brought an ended one. */
  turnEnded(sessionId: string): void
  /** The models that cost too much. */
  pauses(): SuggestionPause[]
  /** Ends the pauses for cost. */
  resume(): void
  close(): Promise<void>
}

export function createSuggestionService(deps: SuggestionServiceDeps): SuggestionService {
  const coordinators = new Map<string, SuggestionCoordinator>()
  const open = new Set<Promise<void>>()
  const life = new AbortController()
  const hearing = deps.settingsChanges(life.signal).map(hearSettings)

  async function hearSettings(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _ of changes) for (const coordinator of coordinators.values()) coordinator.look()
  }

  async function hear(
    sessionId: string,
    coordinator: SuggestionCoordinator,
    events: AsyncIterable<SessionEvent>,
  ) {
    try {
      for await (const event of events) coordinator.heard(event)
    } catch (error) {
      deps.log.bug(error, 'suggestion.hear')
    } finally {
      if (coordinators.get(sessionId) === coordinator) coordinators.delete(sessionId)
      await coordinator.close()
    }
  }

  return {
    begin(sessionId) {
      const player = deps.player(sessionId)
      if (player === undefined || life.signal.aborted) return
      const coordinator = new SuggestionCoordinator(deps, player)
      coordinators.set(sessionId, coordinator)
      const over = hear(sessionId, coordinator, player.session.watch(undefined, life.signal))
      open.add(over)
      void over.finally(() => open.delete(over))
    },
    async *watch(sessionId, isAttended, signal) {
      const letGo = await deps.hold(sessionId)
      try {
        const coordinator = coordinators.get(sessionId)
        if (coordinator !== undefined) yield* coordinator.watch(isAttended, signal)
      } finally {
        letGo()
      }
    },
    outcome: (sessionId, suggestionId, outcome) =>
      coordinators.get(sessionId)?.outcome(suggestionId, outcome) ?? false,
    turnEnded: (sessionId) => coordinators.get(sessionId)?.turnEnded(),
    pauses: () => deps.cost.pauses(),
    resume() {
      deps.cost.resume()
      for (const coordinator of coordinators.values()) coordinator.resumed()
    },
    async close() {
      life.abort()
      await Promise.all([...hearing, ...open])
    },
  }
}
