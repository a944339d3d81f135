import type { ModelUsage } from '../../shared/domain/model/model-status.ts'

/**
 * Limits of one speculation.
 *
 * Units: requests to the model, entries of the prompt, tokens that it writes, ms.
 * Source: `docs/decisions/speculation.md`, Loop and Cost.
 */
export const runLimits = { turns: 20, messages: 100, outputTokens: 4_000, ms: 60_000 } as const

/** What a speculation has used up so far. */
export class RunBudget {
  #turns = 0
  #promptTokens = 0
  #reusedTokens = 0
  #completionTokens = 0

  get turns(): number {
    return this.#turns
  }

  get spent() {
    return {
      promptTokens: this.#promptTokens,
      reusedTokens: this.#reusedTokens,
      completionTokens: this.#completionTokens,
    }
  }

  /** Units: tokens that the next request may write; 0 where there must be none. */
  get leftTokens(): number {
    if (this.#turns >= runLimits.turns) return 0
    return Math.max(0, runLimits.outputTokens - this.#completionTokens)
  }

  begin(): void {
    this.#turns += 1
  }

  spend(usage: ModelUsage | null): void {
    this.#promptTokens += usage?.promptTokens ?? 0
    this.#reusedTokens += usage?.reusedTokens ?? 0
    this.#completionTokens += usage?.completionTokens ?? 0
  }
}
