import { sharedLength } from '../../../shared/text/difference/shared-length.ts'

/**
 * Estimates how much of a prompt a backend need not read again, where it does not tell: the beginning that the prompt
 * shares with the text that the model read and wrote last.
 *
 * Units: tokens, by the shared part of the characters; an estimate, to be labelled.
 */
export class PromptReuse {
  #last = ''

  estimate(prompt: string, promptTokens: number): number {
    if (prompt === '') return 0
    return Math.floor((sharedLength(prompt, this.#last) / prompt.length) * promptTokens)
  }

  remember(prompt: string, completion: string): void {
    this.#last = prompt + completion
  }
}
