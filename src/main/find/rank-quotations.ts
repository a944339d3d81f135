import type { Quotation } from '../../shared/domain/work/find.ts'
import { onFirstUse } from '../../shared/first-use.ts'
import { foldText } from '../../shared/text/find-literal.ts'
import { withoutRuby } from '../../shared/text/manuscript/ruby.ts'
import { splitSentences } from '../../shared/text/sentences.ts'

/** A line that is not blank, or a piece of a long one. Units: `line` from 1; half-open UTF-16 ranges over LF. */
type Line = { line: number; from: number; to: number; text: string }

/**
 * One file, indexed for questions. Shape: `places` has, by term, the index of each line that holds it and how often,
 * flat; `lengths` counts the terms of each line.
 */
export type IndexedFile = { path: string; lines: Line[]; places: Map<string, number[]>; lengths: number[] }

/** BM25's constants: the saturation of repeated terms (k1), and the share of length normalisation (b). */
const saturation = 1.2
const lengthShare = 0.5
/** Lines on each side that count as one scene with a line, and what each term in them adds. */
const sceneLines = 8
const sceneShare = 0.5
/** Weight of single kanji, which match across inflected and compound forms but are weak evidence. */
const kanjiWeight = 0.6
const pairWeight = 0.8
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

/** Returns the terms of a text and how often each occurs: words, pairs of kanji or katakana, single kanji. */
function termsOf(source: string): Map<string, number> {
  const text = foldText(withoutRuby(source), folding).text
  const counts = new Map<string, number>()
  const add = (term: string) => counts.set(term, (counts.get(term) ?? 0) + 1)
  for (const { segment, isWordLike } of wordsOf().segment(text)) {
    if (isWordLike !== true || emptyWords.has(segment)) continue
    if (!hiragana.test(segment) || segment.length > 2) add(termOf(segment))
  }
  for (const { 0: letters } of text.matchAll(run))
    for (let at = 0; at + 2 <= letters.length; at++) add(`2 ${letters.slice(at, at + 2)}`)
  for (const letter of text) if (kanji.test(letter) && !emptyWords.has(letter)) add(`1 ${letter}`)
  return counts
}

/** Returns the term of a folded word: an English one without its ending. */
function termOf(word: string): string {
  if (!latin.test(word)) return word
  const base = word.replace(/['’]s?$/, '')
  return base.length < 4 ? base : base.replace(/ies$/, 'y').replace(/(ing|ed|es|s|ly)$/, '')
}

/** Indexes a file's text, in slices. */
export async function indexFile(path: string, text: string): Promise<IndexedFile> {
  const file: IndexedFile = { path, lines: [], places: new Map(), lengths: [] }
  let from = 0
  let pausedAt = 0
  for (const [index, line] of text.split('\n').entries()) {
    for (const piece of piecesOf(line)) {
      const to = from + piece.length
      if (piece.trim() !== '') addLine(file, { line: index + 1, from, to, text: piece })
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

function addLine({ lines, places, lengths }: IndexedFile, line: Line): void {
  let length = 0
  for (const [term, count] of termsOf(line.text)) {
    const known = places.get(term)
    if (known === undefined) places.set(term, [lines.length, count])
    else known.push(lines.length, count)
    length += count
  }
  lines.push(line)
  lengths.push(length)
}

/**
 * Returns the places that answer a question best by the words that they share with it (BM25 by lines, with the lines
 * around each), the best first. Lines that stand together are one quotation.
 */
export function rankQuotations(files: readonly IndexedFile[], question: string, limit: number): Quotation[] {
  const total = files.reduce((sum, { lines }) => sum + lines.length, 0)
  const terms = files.reduce((sum, { lengths }) => lengths.reduce((own, one) => own + one, sum), 0)
  const weights = [...termsOf(question).keys()].map((term) => {
    const having = files.reduce((sum, { places }) => sum + (places.get(term)?.length ?? 0) / 2, 0)
    const rarity = Math.log(1 + (total - having + 0.5) / (having + 0.5))
    return {
      term,
      weight: rarity * (term.startsWith('1 ') ? kanjiWeight : term.startsWith('2 ') ? pairWeight : 1),
    }
  })
  return files
    .flatMap((file) => scored(file, weights, terms / Math.max(1, total)))
    .sort((a, b) => b.score - a.score)
    .reduce<{ file: IndexedFile; at: number }[]>((chosen, { file, at }) => {
      const isNear = chosen.some((one) => one.file === file && Math.abs(one.at - at) <= sceneLines)
      if (chosen.length < limit && !isNear) chosen.push({ file, at })
      return chosen
    }, [])
    .map(({ file, at }) => quotationAt(file, at, new Set(weights.map(({ term }) => term))))
}

function scored(
  file: IndexedFile,
  weights: readonly { term: string; weight: number }[],
  meanLength: number,
): { file: IndexedFile; at: number; score: number }[] {
  const { lines, places, lengths } = file
  const own = new Float64Array(lines.length)
  const scene = new Float64Array(lines.length)
  for (const { term, weight } of weights) {
    const found = places.get(term) ?? []
    let sceneTo = 0
    for (let i = 0; i < found.length; i += 2) {
      const at = found[i] ?? 0
      const count = found[i + 1] ?? 0
      const norm = saturation * (1 - lengthShare + (lengthShare * (lengths[at] ?? 0)) / meanLength)
      own[at] = (own[at] ?? 0) + (weight * count * (saturation + 1)) / (count + norm)
      const end = Math.min(lines.length, at + sceneLines + 1)
      for (let near = Math.max(sceneTo, at - sceneLines); near < end; near++)
        scene[near] = (scene[near] ?? 0) + weight
      sceneTo = end
    }
  }
  return lines.flatMap((_, at) => {
    const mine = own[at] ?? 0
    return mine === 0 ? [] : { file, at, score: mine + sceneShare * (scene[at] ?? 0) }
  })
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
