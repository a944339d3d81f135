/** A letter of a script that is written without spaces, or whose words are short enough to stand alone. */
export const cjkLetter =
  '[[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}]&&\\p{L}]'
/** What goes on with a word: kana behind a Latin word begin another one. */
const wordCharacter = `[[\\p{L}\\p{N}_]--${cjkLetter}]`
const endsInWord = new RegExp(`${wordCharacter}$`, 'v')

/** The form in which texts and word lists are compared: compatibility forms, case and apostrophes are the same. */
export function keyOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('’', "'")
}

/** For outside of a class of characters. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** One of `texts`, as a piece of a pattern with the flag `v`. */
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
