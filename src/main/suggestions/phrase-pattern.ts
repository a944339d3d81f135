/** A letter of a script that is written without spaces, or whose words are short enough to stand alone. */
export const cjkLetter =
  '[[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}]&&\\p{L}]'
/** A character that continues a word: kana behind a Latin word begin another word. */
const wordCharacter = `[[\\p{L}\\p{N}_]--${cjkLetter}]`
const endsInWord = new RegExp(`${wordCharacter}$`, 'v')

/** Returns the form in which texts and word lists are compared: compatibility forms, case and apostrophes fold. */
export function keyOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('’', "'")
}

/** Escapes a text for use in a pattern, outside of a character class. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Returns a piece of a pattern, for the flag `v`, that matches one of `texts`. */
export function anyOf(texts: readonly string[]): string {
  return `(?:${texts.map((text) => escaped(keyOf(text))).join('|')})`
}

/** As `anyOf`; a phrase that ends in a letter of a word matches whole words only. */
export function anyPhrase(phrases: readonly string[]): string {
  const longestFirst = [...phrases].map(keyOf).sort((a, b) => b.length - a.length)
  const pieces = longestFirst.map((phrase) =>
    endsInWord.test(phrase) ? `${escaped(phrase)}(?!${wordCharacter})` : escaped(phrase),
  )
  return `(?:${pieces.join('|')})`
}
