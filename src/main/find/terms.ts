import { onFirstUse } from '../../shared/first-use.ts'
import { withoutRuby } from '../../shared/text/manuscript/ruby.ts'
import { foldText } from '../../shared/text/places/find-literal.ts'

/** A term that stands for a word of the question. Shape: `share` of the term's rarity that a match counts. */
export type Variant = { term: string; share: number }

/** Shares of parts of words: pairs of letters, and single kanji, which match across inflected and compound forms. */
const pairShare = 0.7
const kanjiShare = 0.8

const folding = { isCaseSensitive: false, foldsWidth: true, foldsKana: false }
/** Words that tell nothing about the answer: question words, and words that are in nearly every line. */
const emptyWords = new Set(
  (
    'who what when where why how which whom whose is are was were do does did the a an of to in on at by for with ' +
    'and or not it its he she they his her their him them that this there be been has have had from as into about ' +
    '誰 何 何故 何処 何時 事 物 者 人 時 所 為 様 中 後 前 方 気 何だ 何と ' +
    'どんな どうして どれほど どちら いくつ いくら くらい ぐらい という といった について による によって として ' +
    'ために ながら ところ それから そして しかし だから だろう でしょう ました ません みたい'
  ).split(' '),
)
const wordsOf = onFirstUse(() => new Intl.Segmenter('ja', { granularity: 'word' }))
const hiragana = /^[\p{Script=Hiragana}ー]+$/u
const latin = /^[\p{Script=Latin}\p{N}'’]+$/u
const kanji = /\p{Script=Han}/u
const run = /[\p{Script=Han}\p{Script=Katakana}ー]{2,}/gu

/** Returns the different terms of a text: words, pairs of kanji or katakana, single kanji. */
export function termsOf(source: string): Set<string> {
  const text = foldText(withoutRuby(source), folding).text
  const terms = new Set<string>()
  for (const { segment, isWordLike } of wordsOf().segment(text))
    if (isWordLike === true && isContent(segment)) terms.add(termOf(segment))
  for (const { 0: letters } of text.matchAll(run)) for (const pair of pairsOf(letters)) terms.add(pair)
  for (const letter of text) if (isKanjiTerm(letter)) terms.add(`1 ${letter}`)
  return terms
}

/**
 * Returns the words of a question, each as the terms that stand for it. Single kanji in a row are one word: most are
 * names that the segmenter does not know.
 */
export function variantsIn(question: string): Variant[][] {
  const words: string[] = []
  let wasKanji = false
  for (const { segment, isWordLike } of wordsOf().segment(foldText(withoutRuby(question), folding).text)) {
    const isKanji = isWordLike === true && /^\p{Script=Han}$/u.test(segment)
    if (isKanji && wasKanji) words.push(`${words.pop() ?? ''}${segment}`)
    else if (isWordLike === true) words.push(segment)
    wasKanji = isKanji
  }
  return [...new Set(words)]
    .filter(isContent)
    .map((word) => [
      { term: termOf(word), share: 1 },
      ...pairsOf(word).map((term) => ({ term, share: word.length === 2 ? 1 : pairShare })),
      ...[...word].filter(isKanjiTerm).map((letter) => ({ term: `1 ${letter}`, share: kanjiShare })),
    ])
}

/** Returns the terms of a text with their places, without single kanji. Units: half-open UTF-16 ranges. */
export function termPlacesIn(text: string): { from: number; to: number; term: string }[] {
  const places = [...wordsOf().segment(text)].map(({ segment, index }) => ({
    from: index,
    to: index + segment.length,
    term: termOf(foldText(segment, folding).text),
  }))
  for (const { 0: letters, index } of text.matchAll(run))
    for (let from = index; from + 2 <= index + letters.length; from++)
      places.push({ from, to: from + 2, term: `2 ${foldText(text.slice(from, from + 2), folding).text}` })
  return places.sort((a, b) => a.from - b.from)
}

/** Says whether a term is a whole word. */
export function isWord(term: string): boolean {
  return !/^[12] /.test(term)
}

/** Says whether a folded word can tell something about the answer. */
function isContent(word: string): boolean {
  return !emptyWords.has(word) && (!hiragana.test(word) || word.length > 2)
}

function isKanjiTerm(letter: string): boolean {
  return kanji.test(letter) && !emptyWords.has(letter)
}

function pairsOf(letters: string): string[] {
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => `2 ${letters.slice(at, at + 2)}`)
}

/** Returns the term of a folded word: an English one without its ending. */
function termOf(word: string): string {
  if (!latin.test(word)) return word
  const base = word.replace(/['’]s?$/, '')
  return base.length < 4 ? base : base.replace(/ies$/, 'y').replace(/(ing|ed|es|s|ly)$/, '')
}
