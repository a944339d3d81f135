import type { LoreEntry } from '../../shared/domain/lore/lore.ts'
import { readNotation } from '../../shared/text/manuscript/notation.ts'
import { aroundPlace } from '../../shared/text/places/around-place.ts'
import { type FoundSpan, foldText } from '../../shared/text/places/find-literal.ts'
import { splitSentences } from '../../shared/text/sentences.ts'

/**
 * A key and the place where it was found. Units: UTF-16 positions in the scanned text; `to` is exclusive. `foldedFrom`:
 * the position in the folded text, of a literal key only.
 */
export type KeyHit = { key: string; from: number; to: number; foldedFrom?: number }

/**
 * A text prepared for matching: without ruby readings, folded by NFKC and case. `offsets` maps each unit of `folded`
 * to the source; −1 within a character; the last one is the end.
 */
export type ScanText = {
  source: string
  plain: string
  plainOffsets: Int32Array
  folded: string
  offsets: Int32Array
}

/** Longest sentence that is told whole as the reason for an entry. Units: UTF-16. */
const limitSentence = 200
const folding = { isCaseSensitive: false, foldsWidth: true, foldsKana: false }
const wordCharacter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{N}_]/u

export function readScanText(source: string): ScanText {
  let plain = ''
  const plainOffsets = new Int32Array(source.length + 1)
  for (const piece of readNotation(source)) {
    const base = piece.kind === 'ruby' ? piece.base : piece.text
    const inner = source.indexOf(base, piece.from)
    const from = inner >= 0 && inner + base.length <= piece.to ? inner : piece.from
    for (let i = 0; i < base.length; i++) plainOffsets[plain.length + i] = from + i
    plain += base
  }
  plainOffsets[plain.length] = source.length
  const { text, starts } = foldText(plain, folding)
  const offsets = new Int32Array(text.length + 1)
  for (let i = 0; i <= text.length; i++) {
    const at = starts === null ? i : (starts[i] ?? -1)
    offsets[i] = at < 0 ? -1 : (plainOffsets[at] ?? source.length)
  }
  return { source, plain, plainOffsets, folded: text, offsets }
}

/** Returns the source of a key `/expression/`; undefined for a literal key. */
export function patternOf(key: string): string | undefined {
  return /^\/(.+)\/$/su.exec(key)?.[1]
}

/** A character that folds to others, as it stands in an expression or as its escape `\u…`. */
const foldable = /\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\.|\P{ASCII}+/gsu

/**
 * Returns the source of a key `/expression/`, folded as the texts in which it is looked for; case is left to the flags.
 * A sign of ASCII that a character folds to keeps its meaning as a character.
 */
export function foldedPattern(key: string): string | undefined {
  return patternOf(key)?.replace(foldable, (text: string, long?: string, short?: string) => {
    const code = Number.parseInt(long ?? short ?? '', 16)
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code >= 0xe000)
    if (text.startsWith('\\') && !isCharacter) return text
    const character = isCharacter ? String.fromCodePoint(code) : text
    const folded = foldText(character, { ...folding, isCaseSensitive: true }).text
    const escaped = (sign: string) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`
    return folded === character ? text : folded.replace(/[^\w\P{ASCII}]/gu, escaped)
  })
}

/** Returns the place in the source of a span of the folded text, widened to whole characters. */
export function sourceSpan({ offsets }: ScanText, span: FoundSpan): FoundSpan {
  let { from, to } = span
  while ((offsets[from] ?? 0) < 0) from -= 1
  while ((offsets[to] ?? 0) < 0) to += 1
  return { from: offsets[from] ?? 0, to: offsets[to] ?? 0 }
}

/** Most keys whose folded form is kept, enough for a large lorebook; beyond this number, keys are folded again. */
const limitFolded = 20_000
const foldedKeys = new Map<string, string>()

function foldedKey(key: string): string {
  let folded = foldedKeys.get(key)
  if (folded === undefined) {
    folded = foldText(key.trim(), folding).text
    if (foldedKeys.size >= limitFolded) foldedKeys.clear()
    foldedKeys.set(key, folded)
  }
  return folded
}

/**
 * Returns the last place of a literal key before a position of the folded text: kana and kanji anywhere, letters and
 * digits at word ends only.
 */
export function findKey(scan: ScanText, key: string, before = scan.folded.length): KeyHit | undefined {
  const needle = foldedKey(key)
  const { folded, offsets } = scan
  // Searches forwards first: this is many times faster, and most keys appear nowhere.
  if (needle === '' || !folded.includes(needle)) return undefined
  const startsWord = wordCharacter.test(firstCharacter(needle))
  const endsWord = wordCharacter.test(lastCharacter(needle))
  for (
    let at = before < needle.length ? -1 : folded.lastIndexOf(needle, before - needle.length);
    at >= 0;
    at = at === 0 ? -1 : folded.lastIndexOf(needle, at - 1)
  ) {
    const end = at + needle.length
    const [from, to] = [offsets[at] ?? -1, offsets[end] ?? -1]
    if (from < 0 || to < 0) continue
    if (startsWord && wordCharacter.test(lastCharacter(folded.slice(Math.max(0, at - 2), at)))) continue
    if (endsWord && wordCharacter.test(firstCharacter(folded.slice(end, end + 2)))) continue
    return { key, from, to, foldedFrom: at }
  }
  return undefined
}

/**
 * Returns the key by which an entry matches, else undefined. `hitOf` finds a key, literal or expression; `isThere` looks
 * for the keys of the conditions `also` and `never`, where these may stand in other texts, too.
 * An entry that is disabled, or in force in other chapters only, never matches.
 */
export function matchEntry(
  entry: LoreEntry,
  chapterNumber: number | null,
  hitOf: (key: string) => KeyHit | undefined,
  isThere = (key: string): boolean => hitOf(key) !== undefined,
): KeyHit | undefined {
  if (!isInForce(entry, chapterNumber)) return undefined
  let hit: KeyHit | undefined
  for (const key of entry.keys) {
    const found = hitOf(key)
    if (found !== undefined && (hit === undefined || found.from > hit.from)) hit = found
  }
  if (hit === undefined) return undefined
  return entry.also.every(isThere) && !entry.never.some(isThere) ? hit : undefined
}

/**
 * Returns whether an entry may be in a prompt for this chapter. `chapterNumber` is null for a file that is not among the
 * manuscripts: an entry's range then excludes nothing.
 */
export function isInForce({ enabled, range, text }: LoreEntry, chapterNumber: number | null): boolean {
  if (!enabled || text.trim() === '') return false
  if (range === null || chapterNumber === null) return true
  return (range.from ?? 1) <= chapterNumber && chapterNumber <= (range.to ?? Number.POSITIVE_INFINITY)
}

/** Returns the sentence around a hit, without line ends. */
export function sentenceAround(source: string, hit: KeyHit): string {
  const lineFrom = source.lastIndexOf('\n', hit.from - 1) + 1
  const lineEnd = source.indexOf('\n', hit.to)
  const line = source.slice(lineFrom, lineEnd < 0 ? source.length : lineEnd)
  const at = hit.from - lineFrom
  const sentence = splitSentences(line).find(({ from, to }) => from <= at && at < to)
  return sentence === undefined ? line : line.slice(sentence.from, sentence.to)
}

/** Returns a sentence, or where it is longer than `limitSentence` the part around `word`. */
export function shortSentence(sentence: string, word: string): string {
  const at = sentence.lastIndexOf(word)
  if (sentence.length <= limitSentence || at < 0) return sentence.trim().slice(0, limitSentence)
  const shown = Math.min(word.length, limitSentence)
  const room = Math.floor((limitSentence - shown) / 2)
  const { before, match, after } = aroundPlace(sentence, { from: at, to: at + shown }, room)
  return `${before}${match}${after}`.trim()
}

function firstCharacter(text: string): string {
  const point = text.codePointAt(0)
  return point === undefined ? '' : String.fromCodePoint(point)
}

function lastCharacter(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ''
}
