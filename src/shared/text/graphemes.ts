import { onFirstUse } from '../first-use.ts'

const segmenter = onFirstUse(() => new Intl.Segmenter('und', { granularity: 'grapheme' }))

/**
 * Counts graphemes: what a reader sees as characters.
 *
 * A grapheme always ends between two plain units: only the runs that are not plain are segmented, with the plain
 * unit on either side, to which a mark may belong.
 */
export function countGraphemes(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; ) {
    const from = at
    while (at < text.length && isPlainUnit(text.charCodeAt(at))) at++
    count += at - from
    if (at === text.length) break
    const runFrom = Math.max(0, at - 1)
    const neighbours = at > 0 ? 1 : 0
    while (at < text.length && !isPlainUnit(text.charCodeAt(at))) at++
    const isFollowed = at < text.length
    for (const _ of segmenter().segment(text.slice(runFrom, isFollowed ? at + 1 : at))) count++
    count -= neighbours + (isFollowed ? 1 : 0)
  }
  return count
}

/** Returns the longest beginning of at most `limit` graphemes. */
export function clipGraphemes(text: string, limit: number): string {
  if (limit <= 0) return ''
  if (text.length <= limit) return text
  let count = 0
  for (const { index } of segmenter().segment(text)) {
    if (count === limit) return text.slice(0, index)
    count++
  }
  return text
}

/**
 * Returns true where each code unit is surely one grapheme: kana, kanji, full-width forms, Latin, common punctuation.
 *
 * False means not known: CR and everything that may combine (marks, surrogates, joiners, Hangul) give false.
 */
export function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isPlainUnit(text.charCodeAt(i))) return false
  return true
}

function isPlainUnit(unit: number): boolean {
  if (unit < 0x300) return unit !== 0x0d && unit !== 0xad
  if (unit < 0x2000) return (unit >= 0x391 && unit <= 0x45f) || (unit >= 0x1e00 && unit <= 0x1eff)
  if (unit < 0x3000)
    return (
      (unit >= 0x2010 && unit <= 0x2027) ||
      (unit >= 0x2030 && unit <= 0x205e) ||
      (unit >= 0x2100 && unit <= 0x2bff)
    )
  if (unit < 0x3400)
    return unit < 0x302a || (unit > 0x3030 && unit < 0x3099) || (unit > 0x309a && unit < 0x3130)
  if (unit <= 0x9fff) return true
  return unit >= 0xff01 && unit <= 0xff9d
}
