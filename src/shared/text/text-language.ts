const sampleChars = 2_000
/** Prose in Japanese with many foreign words stays above this, English prose with a name or a quotation below. */
const japaneseShare = 0.25
const japaneseLetter = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/gu
const otherWord =
  /(?=[\p{L}\p{N}\p{P}\p{S}]*\p{L})[^\s\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー、。「」『』（）]+/gu
/** One word of another script says about as much as two characters of kana and kanji. */
const charsPerWord = 2

/**
 * Returns the language that a text is written in, by the share of kana and kanji at its end; null for a text
 * without letters. Everything that is not Japanese counts as English: prompts exist in these two languages.
 * A path or a name counts as one word, whatever its length.
 */
export function languageOfText(text: string): 'ja' | 'en' | null {
  const sample = text.slice(-sampleChars)
  const japanese = sample.match(japaneseLetter)?.length ?? 0
  const others = (sample.match(otherWord)?.length ?? 0) * charsPerWord
  if (japanese + others === 0) return null
  return japanese / (japanese + others) >= japaneseShare ? 'ja' : 'en'
}
