import type { Quotation } from '../../shared/domain/work/find.ts'
import { type IndexedFile, pageCount, raritiesOf, rarity } from './index-file.ts'
import { termPlacesIn, type Variant, variantsIn } from './terms.ts'
import { likenessOf, type Topics, topicsOf } from './topics.ts'

/** A work, indexed for questions. */
export type IndexedWork = { files: readonly IndexedFile[]; topics: Topics }

/** Lines on each side that count as one scene with a line: a quotation shows them. */
const sceneLines = 8
/** Lines on each side that count as the surroundings of a scene, and what a word in them adds. */
const surroundingLines = 16
const surroundingShare = 0.7
/** Exponent of the weight of a word: several common words count a little more than one rare word. */
const damping = 0.9
/** Length of the scene on each side of a quoted line: it often answers what the line only mentions. Units: UTF-16. */
const limitQuotation = 500

/** Returns the index of a work's files, computed in slices. */
export async function indexWork(files: readonly IndexedFile[]): Promise<IndexedWork> {
  return { files, topics: await topicsOf(files, surroundingLines) }
}

/**
 * Returns the places that answer a question best, the best first. Lines that stand together are one quotation.
 *
 * A scene counts each word of the question once, by its best match: a scene with many of the words is before one that
 * repeats a few. A scene about the topic of the question counts as much as one more word, a rare one.
 */
export function rankQuotations({ files, topics }: IndexedWork, question: string, limit: number): Quotation[] {
  const words = variantsIn(question)
  const terms = new Set(words.flatMap((variants) => variants.map(({ term }) => term)))
  const rarities = raritiesOf(terms, files)
  const topicWeight = rarity(1, pageCount(files)) ** damping
  return files
    .flatMap((file) => {
      const likeness = likenessOf(topics, file, terms)
      return matchesOf(file, words, rarities).map(({ at, score }) => ({
        file,
        at,
        score: score + topicWeight * (likeness[at] ?? 0),
      }))
    })
    .sort((a, b) => b.score - a.score)
    .reduce<{ file: IndexedFile; at: number }[]>((chosen, { file, at }) => {
      const isNear = chosen.some((one) => one.file === file && Math.abs(one.at - at) <= sceneLines)
      if (chosen.length < limit && !isNear) chosen.push({ file, at })
      return chosen
    }, [])
    .map(({ file, at }) => quotationAt(file, at, terms))
}

/** Returns the lines that have a word of the question, scored by the words in them, their scene and its surroundings. */
function matchesOf(
  { lines, places }: IndexedFile,
  words: readonly (readonly Variant[])[],
  rarities: ReadonlyMap<string, number>,
): { at: number; score: number }[] {
  const own = new Float64Array(lines.length)
  const around = new Float64Array(lines.length)
  for (const variants of words) {
    const line = new Float64Array(lines.length)
    for (const { term, share } of variants) {
      const weight = (share * (rarities.get(term) ?? 0)) ** damping
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
    return mine === 0 ? [] : { at, score: mine + (around[at] ?? 0) }
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
  const matches: Quotation['matches'] = []
  for (const { from, to, term } of termPlacesIn(text)) {
    if (!terms.has(term)) continue
    const last = matches.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else matches.push({ from, to })
  }
  return matches
}
