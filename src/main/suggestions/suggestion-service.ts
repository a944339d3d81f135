import type { SessionEvent } from '../../shared/domain/session.ts'
import type { SuggestionOutcome, SuggestionPause, SuggestionState } from '../../shared/domain/suggestion.ts'
import { AppError } from '../../shared/errors.ts'
import { SuggestionDesk, type SuggestionDeskDeps, type SuggestionPlayer } from './suggestion-desk.ts'

export type SuggestionServiceDeps = SuggestionDeskDeps & {
  /** Holds the session in memory while it is followed. Errors: `session/not-found`. */
  follow(sessionId: string, signal: AbortSignal): AsyncGenerator<SessionEvent, void, void>
  /** Of a session that is in memory. */
  player(sessionId: string): SuggestionPlayer | undefined
  /** Each change of the settings, the app's and the folders'; they end with the signal. */
  settingsChanges(signal: AbortSignal): readonly AsyncIterable<unknown>[]
}

/** What the user may type next, in every session that a window watches. */
export type SuggestionService = {
  /** Errors: `session/not-found`. */
  watch(
    sessionId: string,
    isAttended: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<SuggestionState, void, void>
  outcome(sessionId: string, suggestionId: string, outcome: SuggestionOutcome): boolean
  /** The models that cost too much. */
  pauses(): SuggestionPause[]
  /** Ends the pauses for cost. */
  resume(): void
  close(): Promise<void>
}

/** A session that is watched. Shape: `desk` is null until its first event has come. */
type Followed = {
  opening: Promise<SuggestionDesk>
  desk: SuggestionDesk | null
  holders: number
  end: AbortController
  over: Promise<void>
}

export function createSuggestionService(deps: SuggestionServiceDeps): SuggestionService {
  const followed = new Map<string, Followed>()
  const life = new AbortController()
  const hearing = deps.settingsChanges(life.signal).map(hearSettings)

  async function hearSettings(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _ of changes) for (const { desk } of followed.values()) desk?.look()
  }

  function begin(sessionId: string): Followed {
    const end = new AbortController()
    const events = deps.follow(sessionId, AbortSignal.any([end.signal, life.signal]))
    const opening = open(sessionId, events)
    const entry: Followed = { opening, desk: null, holders: 0, end, over: Promise.resolve() }
    entry.over = opening.then(
      async (desk) => {
        entry.desk = desk
        await hear(desk, events)
        forget(sessionId, entry)
      },
      // Whoever watches hears why.
      () => forget(sessionId, entry),
    )
    followed.set(sessionId, entry)
    return entry
  }

  async function open(sessionId: string, events: AsyncGenerator<SessionEvent>): Promise<SuggestionDesk> {
    const first = await events.next()
    const player = deps.player(sessionId)
    if (first.done === true || player === undefined)
      throw new AppError({ code: 'session/not-found', sessionId })
    const desk = new SuggestionDesk(deps, player)
    desk.heard(first.value)
    return desk
  }

  async function hear(desk: SuggestionDesk, events: AsyncGenerator<SessionEvent>): Promise<void> {
    try {
      for await (const event of events) desk.heard(event)
    } catch (error) {
      deps.log.bug(error, 'suggestion.follow')
    } finally {
      await desk.close()
    }
  }

  function forget(sessionId: string, entry: Followed): void {
    if (followed.get(sessionId) === entry) followed.delete(sessionId)
  }

  return {
    async *watch(sessionId, isAttended, signal) {
      const entry = followed.get(sessionId) ?? begin(sessionId)
      entry.holders += 1
      try {
        const desk = await entry.opening
        yield* desk.watch(isAttended, signal)
      } finally {
        entry.holders -= 1
        if (entry.holders === 0) {
          forget(sessionId, entry)
          entry.end.abort()
        }
      }
    },
    outcome: (sessionId, suggestionId, outcome) =>
      followed.get(sessionId)?.desk?.outcome(suggestionId, outcome) ?? false,
    pauses: () => deps.cost.pauses(),
    resume() {
      deps.cost.resume()
      for (const { desk } of followed.values()) desk?.resumed()
    },
    async close() {
      life.abort()
      await Promise.all([...hearing, ...[...followed.values()].map(({ over }) => over)])
    },
  }
}
