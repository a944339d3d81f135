/**
 * Guesses how many tokens a text has, for backends without a counter. Always label what comes from it.
 *
 * Units: tokens; one for each code point outside ASCII, one for every four of ASCII.
 */
export function estimateTokens(text: string): number {
  let ascii = 0
  let others = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) ascii++
    else if (unit < 0xdc00 || unit > 0xdfff) others++
  }
  return others + Math.ceil(ascii / 4)
}
