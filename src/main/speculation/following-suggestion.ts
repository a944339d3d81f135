import { requestStats } from '../../shared/domain/session/session.ts'
import type { SessionHost } from '../sessions/session-host.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import {
  generateSuggestion,
  type SuggestionGeneratorDeps,
  type SuggestionModels,
} from '../suggestions/suggestion-generator.ts'
import { lastReply, recentItems } from '../suggestions/suggestion-guards.ts'
import type { SpeculationRun } from './speculation-run.ts'

/**
 * The suggestion for the message after a speculation. It is generated as soon as the speculation is complete, and it
 * belongs to the speculation: the user may accept that before, while or after the suggestion is generated.
 *
 * Shape: `made` resolves with null where the speculation does not complete, where no suggestion passes the filters, or
 * after `end`.
 */
export class FollowingSuggestion {
  readonly made: Promise<string | null>
  readonly #end = new AbortController()
  #text: string | null = null
  #isOver = false
  #isHandedOut = false

  /** `isComplete` resolves when the speculation has ended: true where it completed. Neither promise may reject. */
  constructor(isComplete: Promise<boolean>, make: (signal: AbortSignal) => Promise<string | null>) {
    this.made = this.#make(isComplete, make)
  }

  /** The suggestion; null until it is generated. */
  get text(): string | null {
    return this.#text
  }

  /** Hands over the suggestion, or the promise of it. The second call answers null. */
  take(): string | null | Promise<string | null> {
    if (this.#isHandedOut) return null
    this.#isHandedOut = true
    return this.#isOver ? this.#text : this.made
  }

  /** Stops generating. A suggestion that is already there stays. */
  end(): void {
    this.#end.abort()
  }

  async #make(
    isComplete: Promise<boolean>,
    make: (signal: AbortSignal) => Promise<string | null>,
  ): Promise<string | null> {
    const { signal } = this.#end
    const text = (await isComplete) && !signal.aborted ? await make(signal) : null
    this.#text = signal.aborted ? null : text
    this.#isOver = true
    return this.#text
  }
}

export type NextSuggestionDeps = SuggestionGeneratorDeps & {
  host: Pick<SessionHost, 'known' | 'hasOpenGate'>
  workSettings: Pick<WorkSettingsService, 'switches'>
  /** Errors: `model/none`. */
  models(signal: AbortSignal): Promise<SuggestionModels>
}

/** Suggests the message after a run, with the same prompt as any suggestion. Null: none passes the filters. */
export async function suggestAfter(
  deps: NextSuggestionDeps,
  { fork: { session, model } }: Pick<SpeculationRun, 'fork'>,
  signal: AbortSignal,
): Promise<string | null> {
  const { sessionId, workId, language, turn, log, state, folders } = session
  const real = deps.host.known(sessionId)?.session
  if (real === undefined || deps.host.hasOpenGate()) return null
  const made = await generateSuggestion(
    deps,
    {
      models: await deps.models(signal),
      sharesCache: deps.workSettings.switches(workId).enableCacheSharing,
      // A run that ends with its review has no reply of its own.
      reply: lastReply([real, session].flatMap(recentItems)),
      ask: (ask, end) => model.suggest({ sessionId, language, turn, log, state, folders }, ask, end),
    },
    signal,
  )
  if (made.usage !== null) real.count(requestStats(made.usage))
  return made.text
}
