const sampleChars = 2_000
/** Japanese prose with many foreign words is above this share, English prose with a name or a quotation below. */
const japaneseShare = 0.25
const japaneseLetter = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u
const wordEnd = /[\s、。「」『』（）]/u
const letter = /\p{L}/u
/** The weight of a word of another script: it says about as much as two characters of kana and kanji. */
const charsPerWord = 2

/**
 * Returns the language that a text is written in, by the share of kana and kanji at its end; null for a text
 * without letters. Everything that is not Japanese counts as English: prompts exist in these two languages.
 * A path or a name counts as one word, whatever its length.
 */
export function languageOfText(text: string): 'ja' | 'en' | null {
  let japanese = 0
  let words = 0
  let isInWord = false
  for (const character of text.slice(-sampleChars)) {
    const kind = kindOf(character)
    if (kind === 'japanese') japanese++
    if (kind === 'letter' && !isInWord) words++
    isInWord = kind === 'letter' || (kind === 'other' && isInWord)
  }
  const others = words * charsPerWord
  if (japanese + others === 0) return null
  return japanese / (japanese + others) >= japaneseShare ? 'ja' : 'en'
}

type Kind = 'japanese' | 'end' | 'letter' | 'other'

/** The kinds of characters outside of the ranges below: an expression with scripts takes microseconds for each. */
const knownKinds = new Map<string, Kind>()
const limitKnown = 10_000

function kindOf(character: string): Kind {
  const unit = character.charCodeAt(0)
  const isKana = (unit >= 0x3041 && unit <= 0x3096) || (unit >= 0x30a1 && unit <= 0x30fa)
  if (isKana || (unit >= 0x4e00 && unit <= 0x9fff)) return 'japanese'
  if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) return 'letter'
  const known = knownKinds.get(character)
  if (known !== undefined) return known
  const kind = readKind(character)
  if (knownKinds.size < limitKnown) knownKinds.set(character, kind)
  return kind
}

function readKind(character: string): Kind {
  if (japaneseLetter.test(character)) return 'japanese'
  if (wordEnd.test(character)) return 'end'
  return letter.test(character) ? 'letter' : 'other'
}
