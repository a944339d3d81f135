import { countGraphemes } from '../../shared/text/graphemes.ts'
import { trimWhere, trimWhiteSpace } from '../../shared/text/white-space.ts'
import type { SuggestionWords } from './suggestion-words.ts'

/** Why a text is not shown, in the order in which the rules are tried. */
export const filterReasons = [
  'control_chars',
  'done',
  'meta_text',
  'meta_wrapped',
  'error_message',
  'prefixed_label',
  'too_few_words',
  'too_many_words',
  'too_long',
  'multiple_sentences',
  'has_formatting',
  'evaluative',
  'ai_voice',
] as const
export type FilterReason = (typeof filterReasons)[number]

/** Units: graphemes. */
const tooLong = 100
const mostWords = 12
/** Words that one CJK letter counts for, as a fraction: two words for five letters. */
const wordsPerLetter = { of: 2, in: 5 }

/** Joiners inside words (ZWJ, ZWNJ) are text. */
const control = /[\p{Cc}\u2028\u2029\u200b\u2060\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const slashCommand = /^\/[\p{L}\p{N}]/u
const lastMarks = '.!?。…'
const pairs: Record<string, string> = { '(': ')', '[': ']', '{': '}', '【': '】' }
const formatted = [
  /\*\*(?=[^\s*/])[^*]*(?<=[^\s/])\*\*/u,
  /~~(?=[^\s~])[^~]*(?<=\S)~~/u,
  /(?<![^\s\p{P}]|\*)\*(?=[\p{L}\p{N}"'「])[^*]*(?<=\S)\*(?![^\s\p{P}]|\*)/u,
  /^#{1,6}\s/u,
  /^>+\s/u,
  /^[-*+]\s/u,
  /^[・•]/u,
  /^\d{1,9}[.)]\s/u,
  /```/u,
]

/**
 * Tells why a predicted text cannot be what a person is about to type, or null where it can.
 *
 * Source: `docs/decisions/suggestions.md`, "The filter".
 */
export function createSuggestionFilter(words: SuggestionWords): (text: string) => FilterReason | null {
  // The patterns take a sixth of the host's start to make, and no window needs them for its first frame.
  let filter: ((text: string) => FilterReason | null) | undefined
  return (text) => {
    filter ??= compileFilter(words)
    return filter(text)
  }
}

function compileFilter(words: SuggestionWords): (text: string) => FilterReason | null {
  const set = (list: readonly string[]) => new Set(list.map(keyOf))
  const [doneWords, metaAlone, singleWords] = [set(words.done), set(words.meta.alone), set(words.singleWords)]
  const { negations } = words.meta
  const metaText = new RegExp(
    [
      `^${anyOf(words.meta.starts)}`,
      `\\b${anyOf(words.meta.contains)}\\b`,
      `^\\P{L}*${anyOf([words.meta.only])}\\P{L}*$`,
      `^${anyOf(negations.heads)}.{0,${negations.distance}}${anyOf(negations.tails)}`,
    ].join('|'),
    'v',
  )
  const error = new RegExp(`^${anyOf(words.errors)}`, 'v')
  const label = new RegExp(
    `^(?:[\\p{L}\\p{N}_]+:\\s|${anyOf(words.labels)}\\s*:|${cjkLetter}{1,6}:(?!\\p{N}))`,
    'v',
  )
  const voice = new RegExp(`^(?:${anyPhrase(words.voice.phrases)}|${anyOf(words.voice.assent)}\\s*\\S)`, 'v')
  const endings = new RegExp(`${anyOf(words.voice.endings)}$`, 'v')
  const requests = new RegExp(`${anyOf(words.voice.requests)}ね?$`, 'v')
  const letters = new RegExp(cjkLetter, 'gv')
  const wordLetter = new RegExp(`[[\\p{L}\\p{N}]--${cjkLetter}]`, 'v')
  const isPraise = createPraise(words)
  const hasSeveralSentences = createSeveralSentences(words)

  return (given) => {
    const framed = trimWhere(given, (unit) => unit === 0x20 || unit === 0x3000)
    if (control.test(framed)) return 'control_chars'
    const text = trimWhiteSpace(framed)
    const isTooLong = countGraphemes(text) >= tooLong
    if (slashCommand.test(text)) return isTooLong ? 'too_long' : null

    const key = keyOf(text)
    const bare = withoutLastMarks(key)
    if (doneWords.has(bare)) return 'done'
    const wrapped = isWrapped(key)
    if (!wrapped && (metaAlone.has(bare) || metaText.test(key))) return 'meta_text'
    if (wrapped) return 'meta_wrapped'
    if (error.test(key)) return 'error_message'
    if (label.test(key)) return 'prefixed_label'

    const parts = key.split(/\p{White_Space}+/u).filter((part) => part !== '')
    const letterCount = key.match(letters)?.length ?? 0
    if (parts.length < 2 && !singleWords.has(bare) && letterCount < 2) return 'too_few_words'
    const wordCount = parts.filter((part) => wordLetter.test(part)).length
    const letterWords = Math.ceil((letterCount * wordsPerLetter.of) / wordsPerLetter.in)
    if (wordCount + letterWords > mostWords) return 'too_many_words'
    if (isTooLong) return 'too_long'
    if (hasSeveralSentences(text)) return 'multiple_sentences'
    if (formatted.some((pattern) => pattern.test(text))) return 'has_formatting'
    if (isPraise(key)) return 'evaluative'
    if (voice.test(key) || (endings.test(bare) && !requests.test(bare))) return 'ai_voice'
    return null
  }
}

function withoutLastMarks(key: string): string {
  let to = key.length
  while (to > 0 && lastMarks.includes(key.charAt(to - 1))) to--
  return key.slice(0, to)
}

/** True where one pair of brackets surrounds everything. */
function isWrapped(key: string): boolean {
  const open = key.charAt(0)
  const close = pairs[open]
  if (close === undefined || !key.endsWith(close)) return false
  let depth = 0
  for (let i = 0; i < key.length; i++) {
    if (key[i] === open) depth += 1
    else if (key[i] === close) depth -= 1
    if (depth === 0) return i === key.length - 1
  }
  return false
}

/** Character class of the marks that separate praise from other text. */
const separator = '[,.;:!、。–—\\-]'

/**
 * Returns a test for keys that only praise or thank: praise at the start, and no separator with anything else after it.
 *
 * Source: `docs/decisions/suggestions.md`, rule 13.
 */
function createPraise({ praise }: SuggestionWords): (key: string) => boolean {
  const start = new RegExp(`^(?!${anyPhrase(praise.exceptions)})${anyPhrase(praise.phrases)}`, 'v')
  const opener = new RegExp(`^${anyPhrase(praise.openers)}(?:\\s|${separator})*`, 'v')
  const joint = new RegExp(separator, 'v')
  const notSaid = new RegExp(`^(?:\\s|${separator}|${anyPhrase(praise.connectives)})+`, 'v')

  function afterPraise(key: string): string | null {
    for (let rest = key; rest !== ''; ) {
      const found = start.exec(rest)
      if (found !== null) return rest.slice(found[0].length)
      const open = opener.exec(rest)
      if (open === null) return null
      rest = rest.slice(open[0].length)
    }
    return null
  }

  return function isPraise(key: string): boolean {
    const rest = afterPraise(key)
    if (rest === null) return false
    const at = rest.search(joint)
    const more = at < 0 ? '' : rest.slice(at).replace(notSaid, '')
    return !/[\p{L}\p{N}]/u.test(more) || isPraise(more)
  }
}

/** Closing marks with quotes or brackets behind them, white space, and a next sentence. */
const spacedEnd = /(?<![.!?…])([.!?…]+)["'”’»)\]}」』）】]*\s+(?=[\p{L}\p{N}])/gu
/** End of a sentence without a space behind it. 「待って！」と is no end: the sentence continues. */
const wideEnd = /[。｡！？]\s*[\p{L}\p{N}「『（【(["'“‘]/u

/** Returns a test for texts of more than one sentence. Source: `docs/decisions/suggestions.md`, rule 11. */
function createSeveralSentences(words: SuggestionWords): (text: string) => boolean {
  const begin = '(?:^|[^\\p{L}\\p{N}])'
  const letter = `[\\p{L}--${cjkLetter}]`
  const abbreviated = new RegExp(`${begin}(?:${anyOf(words.abbreviations)}|${letter})\\.$`, 'iv')
  const numbered = new RegExp(`${begin}${anyOf(words.numberAbbreviations)}\\.$`, 'iv')
  const listed = /^\d+\.$/

  return (text) => {
    if (wideEnd.test(text)) return true
    for (const { index, 0: whole, 1: marks = '' } of text.matchAll(spacedEnd)) {
      if (marks !== '.') return true
      const before = text.slice(0, index + 1)
      const isBeforeDigit = /\p{N}/u.test(text.charAt(index + whole.length))
      if (abbreviated.test(before) || listed.test(before)) continue
      if (!(isBeforeDigit && numbered.test(before))) return true
    }
    return false
  }
}

/** A letter of a script that is written without spaces, or whose words are short enough to stand alone. */
const cjkLetter = '[[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}]&&\\p{L}]'
/** A character that continues a word: kana behind a Latin word begin another word. */
const wordCharacter = `[[\\p{L}\\p{N}_]--${cjkLetter}]`
const endsInWord = new RegExp(`${wordCharacter}$`, 'v')

/** Returns the form in which texts and word lists are compared: compatibility forms, case and apostrophes fold. */
function keyOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('’', "'")
}

/** Escapes a text for use in a pattern, outside of a character class. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Returns a piece of a pattern, for the flag `v`, that matches one of `texts`. */
function anyOf(texts: readonly string[]): string {
  return `(?:${texts.map((text) => escaped(keyOf(text))).join('|')})`
}

/** As `anyOf`; a phrase that ends in a letter of a word matches whole words only. */
function anyPhrase(phrases: readonly string[]): string {
  const longestFirst = [...phrases].map(keyOf).sort((a, b) => b.length - a.length)
  const pieces = longestFirst.map((phrase) =>
    endsInWord.test(phrase) ? `${escaped(phrase)}(?!${wordCharacter})` : escaped(phrase),
  )
  return `(?:${pieces.join('|')})`
}
