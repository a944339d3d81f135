import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import { sharedLength } from '../../../shared/text/difference/text-similarity.ts'

/** Returns the figures of a request, with the speed of writing: 0 where no time is known to have passed. */
export function usageEvent(figures: Omit<ModelUsage, 'tokensPerSecond'>): {
  type: 'usage'
  usage: ModelUsage
} {
  const writingMs = figures.msTotal - figures.msPrompt
  const tokensPerSecond = writingMs > 0 ? (figures.completionTokens * 1000) / writingMs : 0
  return { type: 'usage', usage: { ...figures, tokensPerSecond } }
}

/**
 * Estimates how much of a prompt a backend need not read again, where it does not tell: the beginning that the prompt
 * shares with the text that the model read and wrote last.
 *
 * Units: tokens, by the shared part of the characters; an estimate, to be labelled.
 */
export class PromptReuse {
  #last = ''

  /** The prompt that was read last, with its answer; empty before the first. */
  get last(): string {
    return this.#last
  }

  estimate(prompt: string, promptTokens: number): number {
    if (prompt === '') return 0
    return Math.floor((sharedLength(prompt, this.#last) / prompt.length) * promptTokens)
  }

  remember(prompt: string, completion: string): void {
    this.#last = prompt + completion
  }
}
