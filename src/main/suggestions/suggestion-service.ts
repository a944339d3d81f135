import type { SessionEvent } from '../../shared/domain/session/session.ts'
import type { SuggestionOutcome, SuggestionState } from '../../shared/domain/session/suggestion.ts'
import type { OpenSession, SessionHost } from '../sessions/session-host.ts'
import { SuggestionCoordinator, type SuggestionCoordinatorDeps } from './suggestion-coordinator.ts'

type SuggestionServiceDeps = SuggestionCoordinatorDeps & {
  host: Pick<SessionHost, 'on' | 'hold'>
  /** Yields each change of the settings of the app and of the folders; ends with the signal. */
  settingsChanges(signal: AbortSignal): readonly AsyncIterable<unknown>[]
}

export type SuggestionService = ReturnType<typeof createSuggestionService>

/** Creates the suggestions of what the user may type next, for every session in memory. */
export function createSuggestionService(deps: SuggestionServiceDeps) {
  const coordinators = new Map<string, SuggestionCoordinator>()
  const open = new Set<Promise<void>>()
  const life = new AbortController()
  const hearing = deps.settingsChanges(life.signal).map(hearSettings)

  async function hearSettings(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _ of changes) for (const coordinator of coordinators.values()) coordinator.revalidate()
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

  /** Follows a session until it leaves the memory, whether a window watches or not: its events end then. */
  function follow({ session, runner, model }: OpenSession): void {
    const { sessionId } = session
    const coordinator = new SuggestionCoordinator(deps, {
      session,
      suggest: model.suggest,
      async preRead(text, signal) {
        const request = runner.prefetchContext(text)
        return request === null ? null : model.preRead(request, signal)
      },
    })
    coordinators.set(sessionId, coordinator)
    const over = hear(sessionId, coordinator, session.watch(undefined, life.signal))
    open.add(over)
    void over.finally(() => open.delete(over))
  }

  const stopHearing = deps.host.on((event) => {
    if (event.type === 'opened') follow(event.open)
    if (event.type === 'turnEnded') coordinators.get(event.sessionId)?.turnEnded(event.how)
  })

  return {
    /** Errors: `session/not-found`. */
    async *watch(
      sessionId: string,
      isAttended: boolean,
      signal: AbortSignal,
    ): AsyncGenerator<SuggestionState, void, void> {
      const letGo = await deps.host.hold(sessionId)
      try {
        const coordinator = coordinators.get(sessionId)
        if (coordinator !== undefined) yield* coordinator.watch(isAttended, signal)
      } finally {
        letGo()
      }
    },
    outcome: (sessionId: string, suggestionId: string, outcome: SuggestionOutcome): boolean =>
      coordinators.get(sessionId)?.outcome(suggestionId, outcome) ?? false,
    other: (sessionId: string, suggestionId: string, step: 1 | -1): void =>
      coordinators.get(sessionId)?.other(suggestionId, step),
    /** Returns the models whose suggestions are paused for their cost. */
    pauses: () => deps.cost.pauses(),
    /** Ends the pauses for cost. */
    resume(): void {
      deps.cost.resume()
      for (const coordinator of coordinators.values()) coordinator.resumed()
    },
    async close(): Promise<void> {
      stopHearing()
      life.abort()
      await Promise.all([...hearing, ...open])
    },
  }
}
