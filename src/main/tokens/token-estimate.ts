/** Minimum number of tokens from which the factor is learned: fewer say too little about a model's tokenizer. */
const worthwhileTokens = 50
const leastFactor = 0.5
const mostFactor = 4

/**
 * Estimates tokens from characters where no tokenizer is available. Label the number as an estimate where it is shown.
 *
 * Units: one for each character outside ASCII, one for four of ASCII, and one for the start.
 */
export function estimateTextTokens(text: string): number {
  let ascii = 0
  let other = 0
  for (const character of text) {
    if (character < '\u0080') ascii += 1
    else other += 1
  }
  return 1 + other + Math.ceil(ascii / 4)
}

/** Estimates as `estimateTextTokens`, corrected by the number of tokens that the model reported for similar text. */
export class TokenEstimate {
  #factor = 1

  tokens(text: string): number {
    return Math.ceil(estimateTextTokens(text) * this.#factor)
  }

  learn(text: string, tokens: number): void {
    const guessed = estimateTextTokens(text)
    // Of a short text the server counts mostly the tokens that it adds itself.
    if (tokens < worthwhileTokens || guessed * mostFactor < worthwhileTokens) return
    this.#factor = Math.min(mostFactor, Math.max(leastFactor, tokens / guessed))
  }
}
