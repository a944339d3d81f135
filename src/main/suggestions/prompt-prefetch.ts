import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import { isSingleSlot } from '../../shared/suggestion/single-slot.ts'
import type { PreReading } from '../agent/model/agent-model.ts'
import type { Log } from '../deps.ts'
import type { SuggestionCost } from './suggestion-cost.ts'
import type { SuggestionModels } from './suggestion-generator.ts'

type PromptPrefetchDeps = {
  log: Log
  cost: SuggestionCost
  sharesCache(): boolean
  /** Errors: `model/none`. */
  models(signal: AbortSignal): Promise<SuggestionModels>
  /** Returns null where reading in advance would be of no use. */
  preRead(text: string, signal: AbortSignal): Promise<PreReading | null>
  count(usage: ModelUsage): void
}

/** Commands are no message; what a message names is only read when it is sent. */
const isNoPlainMessage = /^[/!]|@/u

/**
 * Has a local model read the suggested message while the model is not needed for anything else, so that its answer
 * begins sooner if the message is sent.
 *
 * Only for a server with one cache that has been kept so far; elsewhere the reading would be paid for twice, or lost.
 */
export class PromptPrefetch {
  readonly #deps: PromptPrefetchDeps
  #reading: AbortController | null = null
  #done: Promise<void> = Promise.resolve()

  constructor(deps: PromptPrefetchDeps) {
    this.#deps = deps
  }

  begin(text: string): void {
    this.end()
    if (isNoPlainMessage.test(text) || !this.#deps.sharesCache()) return
    const reading = new AbortController()
    this.#reading = reading
    this.#done = this.#read(text, reading.signal).catch((error: unknown) => {
      // The user did not ask for this request: its failure is only logged.
      if (!reading.signal.aborted)
        this.#deps.log.write('info', 'suggestion.pre-read', { error: String(error) })
    })
  }

  end(): void {
    this.#reading?.abort(new Error('the model is wanted'))
    this.#reading = null
  }

  idle(): Promise<void> {
    return this.#done
  }

  async #read(text: string, signal: AbortSignal): Promise<void> {
    const { cost } = this.#deps
    const { main } = await this.#deps.models(signal)
    if (signal.aborted || !isSingleSlot(main) || !cost.keepsCache(main.id)) return
    const read = await this.#deps.preRead(text, signal)
    if (read === null || read.usage === null) return
    const { usage, expectedTokens } = read
    this.#deps.count(usage)
    if (usage.reusedTokens !== null && !usage.isReuseEstimated && !signal.aborted)
      cost.prefetched(main.id, { expectedTokens, reusedTokens: usage.reusedTokens })
  }
}
