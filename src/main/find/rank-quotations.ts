import type { Quotation } from '../../shared/domain/work/find.ts'
import { onFirstUse } from '../../shared/first-use.ts'
import { foldText } from '../../shared/text/find-literal.ts'
import { withoutRuby } from '../../shared/text/manuscript/ruby.ts'
import { splitSentences } from '../../shared/text/sentences.ts'

/** A line that is not blank, or a piece of a long one. Units: `line` from 1; half-open UTF-16 ranges over LF. */
type Line = { line: number; from: number; to: number; text: string }

/**
 * One file, indexed for questions. Shape: `places` has, by term, the index of each line that holds it, ascending;
 * `pages` has the page of each line, from 0.
 */
export type IndexedFile = { path: string; lines: Line[]; places: Map<string, number[]>; pages: number[] }

/** A term that stands for a word of the question. Shape: `share` of the term's rarity that a match counts. */
type Variant = { term: string; share: number }

/** Lines on each side that count as one scene with a line: a quotation shows them. */
const sceneLines = 8
/** Lines on each side that count as the surroundings of a scene, and what a word in them adds. */
const surroundingLines = 16
const surroundingShare = 0.7
/** Shares of parts of words: pairs of letters, and single kanji, which match across inflected and compound forms. */
const pairShare = 0.7
const kanjiShare = 0.8
/** Exponent of the weight of a word: several common words count a little more than one rare word. */
const damping = 0.9
/**
 * Text in which a term counts once towards how common it is. Counted by lines, a name that stands once on every page
 * seems rare. Units: UTF-16.
 */
const pageChars = 1_500
/** Length of the scene on each side of a quoted line: it often answers what the line only mentions. Units: UTF-16. */
const limitQuotation = 500
/** Length above which a line is split into pieces that count as lines. Units: UTF-16. */
const longLine = 1_000
/** Text that is indexed between two pauses, in which the host can serve other requests. Units: UTF-16. */
const charsPerSlice = 20_000

const folding = { isCaseSensitive: false, foldsWidth: true, foldsKana: false }
/** Words that tell nothing about the answer: question words, and words that are in nearly every line. */
const emptyWords = new Set(
  (
    'who what when where why how which whom whose is are was were do does did the a an of to in on at by for with ' +
    'and or not it its he she they his her their him them that this there be been has have had from as into about ' +
    '誰 何 何故 何処 何時 事 物 者 人 時 所 為 様 中 後 前 方 気'
  ).split(' '),
)
const wordsOf = onFirstUse(() => new Intl.Segmenter('ja', { granularity: 'word' }))
const hiragana = /^[\p{Script=Hiragana}ー]+$/u
const latin = /^[\p{Script=Latin}\p{N}'’]+$/u
const kanji = /\p{Script=Han}/u
const run = /[\p{Script=Han}\p{Script=Katakana}ー]{2,}/gu

/** Returns the different terms of a text: words, pairs of kanji or katakana, single kanji. */
function termsOf(source: string): Set<string> {
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
function variantsIn(question: string): Variant[][] {
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

/** Indexes a file's text, in slices. */
export async function indexFile(path: string, text: string): Promise<IndexedFile> {
  const file: IndexedFile = { path, lines: [], places: new Map(), pages: [] }
  let pageFrom = 0
  let from = 0
  let pausedAt = 0
  for (const [index, line] of text.split('\n').entries()) {
    for (const piece of piecesOf(line)) {
      const to = from + piece.length
      if (piece.trim() !== '') {
        const isNextPage = from - pageFrom >= pageChars
        if (isNextPage) pageFrom = from
        addLine(file, { line: index + 1, from, to, text: piece }, isNextPage)
      }
      from = to
      if (from - pausedAt < charsPerSlice) continue
      pausedAt = from
      await new Promise((next) => setImmediate(next))
    }
    from += 1
  }
  return file
}

/** Yields the line itself, or pieces of a long one: whole sentences where one ends within the limit. */
function* piecesOf(line: string): Generator<string> {
  let from = 0
  while (line.length - from > longLine) {
    const part = line.slice(from, from + longLine)
    const sentencesTo = splitSentences(part).at(-1)?.from ?? 0
    // A surrogate pair stays whole.
    const length = sentencesTo > 0 ? sentencesTo : /[\ud800-\udbff]$/.test(part) ? longLine - 1 : longLine
    yield part.slice(0, length)
    from += length
  }
  yield line.slice(from)
}

function addLine({ lines, places, pages }: IndexedFile, line: Line, isNextPage: boolean): void {
  for (const term of termsOf(line.text)) {
    const known = places.get(term)
    if (known === undefined) places.set(term, [lines.length])
    else known.push(lines.length)
  }
  lines.push(line)
  pages.push((pages.at(-1) ?? 0) + (isNextPage ? 1 : 0))
}

/**
 * Returns the places that answer a question best by the words that they share with it, the best first. A scene counts
 * each word of the question once, by its best match: a scene with many of the words is before one that repeats a few.
 * Lines that stand together are one quotation.
 */
export function rankQuotations(files: readonly IndexedFile[], question: string, limit: number): Quotation[] {
  const words = variantsIn(question)
  const terms = new Set(words.flatMap((variants) => variants.map(({ term }) => term)))
  const weights = weightsOf(terms, files)
  return files
    .flatMap((file) => scored(file, words, weights))
    .sort((a, b) => b.score - a.score)
    .reduce<{ file: IndexedFile; at: number }[]>((chosen, { file, at }) => {
      const isNear = chosen.some((one) => one.file === file && Math.abs(one.at - at) <= sceneLines)
      if (chosen.length < limit && !isNear) chosen.push({ file, at })
      return chosen
    }, [])
    .map(({ file, at }) => quotationAt(file, at, terms))
}

/** Returns how much each term tells about a place, by the share of pages that have it. */
function weightsOf(terms: ReadonlySet<string>, files: readonly IndexedFile[]): Map<string, number> {
  const total = files.reduce((sum, { pages }) => sum + (pages.at(-1) ?? -1) + 1, 0)
  return new Map(
    [...terms].map((term) => {
      const having = files.reduce(
        (sum, { places, pages }) => sum + new Set((places.get(term) ?? []).map((at) => pages[at])).size,
        0,
      )
      return [term, Math.log(1 + (total - having + 0.5) / (having + 0.5))]
    }),
  )
}

function scored(
  file: IndexedFile,
  words: readonly (readonly Variant[])[],
  weights: ReadonlyMap<string, number>,
): { file: IndexedFile; at: number; score: number }[] {
  const { lines, places } = file
  const own = new Float64Array(lines.length)
  const around = new Float64Array(lines.length)
  for (const variants of words) {
    const line = new Float64Array(lines.length)
    for (const { term, share } of variants) {
      const weight = (share * (weights.get(term) ?? 0)) ** damping
      for (const at of places.get(term) ?? []) line[at] = Math.max(line[at] ?? 0, weight)
    }
    const scene = highestNear(line, sceneLines)
    const surroundings = highestNear(line, surroundingLines)
    for (let at = 0; at < line.length; at++) {
      own[at] = (own[at] ?? 0) + (line[at] ?? 0)
      around[at] = (around[at] ?? 0) + (scene[at] ?? 0) + surroundingShare * (surroundings[at] ?? 0)
    }
  }
  return lines.flatMap((_, at) => {
    const mine = own[at] ?? 0
    return mine === 0 ? [] : { file, at, score: mine + (around[at] ?? 0) }
  })
}

/** Returns for each place the highest value within `reach` places on each side. */
function highestNear(values: Float64Array, reach: number): Float64Array {
  const highest = new Float64Array(values.length)
  for (const [at, value] of values.entries()) {
    if (value === 0) continue
    const end = Math.min(values.length, at + reach + 1)
    for (let near = Math.max(0, at - reach); near < end; near++)
      if ((highest[near] ?? 0) < value) highest[near] = value
  }
  return highest
}

function quotationAt({ path, lines }: IndexedFile, at: number, terms: ReadonlySet<string>): Quotation {
  const best = lines[at]
  const textOf = (from: number, to: number) => {
    const shown = lines.slice(Math.max(0, from), to)
    return shown
      .map(({ line, text }, index) => (shown[index - 1]?.line === line ? text : `\n${text.trim()}`))
      .join('')
      .trim()
  }
  return {
    path,
    line: best?.line ?? 1,
    from: best?.from ?? 0,
    to: best?.to ?? 0,
    before: textOf(at - sceneLines, at).slice(-limitQuotation),
    text: best?.text ?? '',
    after: textOf(at + 1, at + 1 + sceneLines).slice(0, limitQuotation),
    matches: matchesIn(best?.text ?? '', terms),
  }
}

/** Returns the words of a line that are terms, and its pairs of kanji or katakana; single kanji are too weak. */
function matchesIn(text: string, terms: ReadonlySet<string>): Quotation['matches'] {
  const parts = [...wordsOf().segment(text)].map(({ segment, index }) => ({
    from: index,
    to: index + segment.length,
    term: termOf(foldText(segment, folding).text),
  }))
  for (const { 0: letters, index } of text.matchAll(run))
    for (let from = index; from + 2 <= index + letters.length; from++)
      parts.push({ from, to: from + 2, term: `2 ${foldText(text.slice(from, from + 2), folding).text}` })
  const matches: Quotation['matches'] = []
  for (const { from, to, term } of parts.sort((a, b) => a.from - b.from)) {
    if (!terms.has(term)) continue
    const last = matches.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else matches.push({ from, to })
  }
  return matches
}
