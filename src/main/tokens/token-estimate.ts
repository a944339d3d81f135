/** Fewer say too little about a model's tokenizer. */
const worthwhileTokens = 50
const leastFactor = 0.5
const mostFactor = 4

/**
 * Guesses tokens from characters where nothing counts them; to be labelled wherever it is shown.
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

/** The same guess, put right by what the model said a text of this kind had really cost. */
export class TokenEstimate {
  #factor = 1

  tokens(text: string): number {
    return Math.ceil(estimateTextTokens(text) * this.#factor)
  }

  learn(text: string, tokens: number): void {
    const guessed = estimateTextTokens(text)
    // Of a short text, what the server puts around it is most of what it counts.
    if (tokens < worthwhileTokens || guessed * mostFactor < worthwhileTokens) return
    this.#factor = Math.min(mostFactor, Math.max(leastFactor, tokens / guessed))
  }
}
