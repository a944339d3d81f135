import type { Take } from '../../../shared/domain/drafting/take.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'

/**
 * A take among the others of its place. `word`: the first that none of its siblings has; empty where it ends there,
 * null where it has no sibling. `depth`: how often the takes have parted before.
 */
type PlacedTake = { take: Take; word: string | null; depth: number }

/** The takes of one place, those that begin alike together. */
export type TakePlace = { placeId: string; takes: PlacedTake[] }

/** Groups takes by their place: the place of the newest take first, and within it the newest first. */
export function takeTree(newestFirst: readonly Take[], language: 'ja' | 'en'): TakePlace[] {
  const places = Map.groupBy(newestFirst, ({ placeId, takeId }) => placeId || takeId)
  return [...places].map(([placeId, takes]) => ({
    placeId,
    takes: parted(
      takes.map((take) => ({ take, words: wordsOf(take.text, language) })),
      0,
      0,
    ),
  }))
}

type Worded = { take: Take; words: readonly string[] }

/** Shape: `takes` have the first `shared` words in common. */
function parted(takes: readonly Worded[], shared: number, depth: number): PlacedTake[] {
  const [first] = takes
  if (first === undefined) return []
  if (takes.length === 1) return [{ take: first.take, word: null, depth }]
  let at = shared
  while (at < first.words.length && takes.every(({ words }) => words[at] === first.words[at])) at += 1
  const branches = Map.groupBy(takes, ({ words }) => words[at] ?? '')
  if (branches.size === 1) return takes.map(({ take }) => ({ take, word: '', depth }))
  return [...branches].flatMap(([word, branch]) => {
    if (word === '') return branch.map(({ take }) => ({ take, word, depth }))
    if (branch.length === 1) return branch.map(({ take }) => ({ take, word, depth }))
    return parted(branch, at + 1, depth + 1)
  })
}

/** Words, without white space and signs between them. */
function wordsOf(text: string, language: 'ja' | 'en'): string[] {
  const segmenter = new Intl.Segmenter(languageOfText(text) ?? language, { granularity: 'word' })
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}
