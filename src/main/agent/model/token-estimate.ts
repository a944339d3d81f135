/** Of the beginning of a word, and of a character that is a word by itself. */
const perLatin = 0.3
const perOther = 0.9

/**
 * How many tokens a text is about, for dividing an exact count among parts and where nothing can count.
 *
 * Units: tokens of a common vocabulary, not whole.
 */
export function estimateTokens(text: string): number {
  let latin = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x250) latin += 1
  return latin * perLatin + (text.length - latin) * perOther
}

/** Divides `total` by weights into whole parts whose sum is `total`. */
export function divideTokens(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  if (sum === 0) return weights.map(() => 0)
  let reached = 0
  let given = 0
  return weights.map((weight) => {
    reached += weight
    const upTo = Math.round((total * reached) / sum)
    const part = upTo - given
    given = upTo
    return part
  })
}
