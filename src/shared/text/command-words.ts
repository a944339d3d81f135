/**
 * Splits a typed command into words: separated by spaces, those in quotes kept together.
 *
 * Shape: null where a quote is not closed. No other character has a meaning: no shell reads the command.
 */
export function commandWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (const char of line) {
    if (quote !== null) {
      if (char === quote) quote = null
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (quote !== null) return null
  return word === null ? words : [...words, word]
}
