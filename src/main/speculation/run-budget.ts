import type { ModelUsage } from '../../shared/domain/model/model-status.ts'

/**
 * Limits of one speculation.
 *
 * Units: requests to the model, entries of the prompt, tokens that it writes, ms.
 * Source: `docs/decisions/speculation.md`, Loop and Cost.
 */
export const runLimits = { turns: 20, messages: 100, outputTokens: 4_000, ms: 60_000 } as const

/** Counts the turns and tokens that a speculation has used up. */
export class RunBudget {
  turns = 0
  readonly spent = { promptTokens: 0, reusedTokens: 0, completionTokens: 0 }

  /** Units: tokens that the next request may write; 0 where there must be none. */
  get leftTokens(): number {
    if (this.turns >= runLimits.turns) return 0
    return Math.max(0, runLimits.outputTokens - this.spent.completionTokens)
  }

  begin(): void {
    this.turns += 1
  }

  spend(usage: ModelUsage | null): void {
    this.spent.promptTokens += usage?.promptTokens ?? 0
    this.spent.reusedTokens += usage?.reusedTokens ?? 0
    this.spent.completionTokens += usage?.completionTokens ?? 0
  }
}
