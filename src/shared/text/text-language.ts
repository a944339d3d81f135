const sampleChars = 2_000
/** Japanese prose with many foreign words is above this share, English prose with a name or a quotation below. */
const japaneseShare = 0.25
const japaneseLetter = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u
const wordEnd = /[\s、。「」『』（）]/u
const letter = /\p{L}/u
/** `@path`, up to its ending where it has one; where a name really ends is for `file-references.ts` to find out. */
const reference =
  /@(?:"[^"\n]*"|[^\s、。「」『』（）"]*?\.[A-Za-z0-9]{1,8}(?![A-Za-z0-9])|[^\s、。「」『』（）"]*[/\\][^\s、。「」『』（）"]*)/gu
const pathEnd = /\.[A-Za-z0-9]{1,8}[.,;:!?)]*$/
/** The weight of a word of another script: it says about as much as two characters of kana and kanji. */
const charsPerWord = 2

/**
 * Returns the language that a text is written in, by the share of kana and kanji at its end; null for a text
 * without letters. Everything that is not Japanese counts as English: prompts exist in these two languages.
 * A name counts as one word, whatever its length; a path, whose folders may be named in another language than the text,
 * only where there is nothing else.
 */
export function languageOfText(text: string): 'ja' | 'en' | null {
  const end = text.slice(-sampleChars)
  return languageOfWords(withoutPaths(end)) ?? languageOfWords(end)
}

function withoutPaths(text: string): string {
  const isPath = (word: string) => /[/\\]/.test(word) && pathEnd.test(word)
  const words = text.replace(reference, ' ').split(/\s+/)
  return words.filter((word) => !isPath(word)).join(' ')
}

function languageOfWords(text: string): 'ja' | 'en' | null {
  let japanese = 0
  let words = 0
  let isInWord = false
  for (const character of text) {
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
