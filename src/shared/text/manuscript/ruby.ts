import type { Span } from './manuscript-marks.ts'

/**
 * A reading, emphasis dots or an escaped `《` in a line. Units: half-open UTF-16 positions.
 *
 * Shape: `from` and `to` enclose the notation, `base` is the text that is read; an escape has `《` as its base.
 */
export type RubyMark =
  | { kind: 'ruby'; from: number; to: number; base: Span; reading: Span }
  | { kind: 'emphasis' | 'escape'; from: number; to: number; base: Span }

/** The longest ruby that is drawn, and that the dialog writes. Source: Kakuyomu's notation. Units: code points. */
export const rubyLimits = { base: 20, reading: 50 }

/** A kanji; `々`, `〇` and `〻` belong to the script. */
const kanji = '[\\p{Script=Han}〆]'
const reading = '《(?<reading>[^《》\\n]+)》'
const notation = new RegExp(
  [
    '[｜|](?<escaped>《)',
    '《《(?<emphasis>[^《》\\n]+)》》',
    `[｜|](?<base>[^｜|《》\\n]+)${reading}`,
    // Tried only at the first kanji of a run: from each of them it would be read to its end.
    `(?<!${kanji})(?<kanji>${kanji}+)${reading.replace('<reading>', '<kanjiReading>')}`,
  ].join('|'),
  'gu',
)

/**
 * Finds `｜親《るび》`, `|親《るび》`, `親《るび》` after kanji, `《《…》》` and `｜《`. No sign extends beyond a line; an
 * unclosed sign is text.
 * Source: Kakuyomu's and Narou's notation; `《《…》》` is Kakuyomu's.
 */
export function findNotation(text: string): RubyMark[] {
  if (!text.includes('《')) return []
  return [...text.matchAll(notation)].map((match) => {
    const { index: from, groups = {} } = match
    const to = from + match[0].length
    const emphasis = groups.emphasis
    if (emphasis !== undefined)
      return { kind: 'emphasis', from, to, base: { from: from + 2, to: from + 2 + emphasis.length } }
    if (groups.escaped !== undefined) return { kind: 'escape', from, to, base: { from: from + 1, to } }
    const baseFrom = groups.base === undefined ? from : from + 1
    const baseTo = baseFrom + (groups.base ?? groups.kanji ?? '').length
    const base = { from: baseFrom, to: baseTo }
    return { kind: 'ruby', from, to, base, reading: { from: baseTo + 1, to: to - 1 } }
  })
}

/** Finds notation as `findNotation`, without words and readings that are longer than sites draw them. */
export function findRuby(text: string): RubyMark[] {
  return findNotation(text).filter(
    (mark) =>
      mark.kind !== 'ruby' ||
      !isLong(text.slice(mark.base.from, mark.base.to), text.slice(mark.reading.from, mark.reading.to)),
  )
}

/** Returns the text as it is read, without readings and signs of the notation. */
export function withoutRuby(text: string): string {
  let plain = ''
  let at = 0
  for (const { from, to, base } of findNotation(text)) {
    plain += text.slice(at, from) + text.slice(base.from, base.to)
    at = to
  }
  return at === 0 ? text : plain + text.slice(at)
}

/** Returns why a word cannot have a reading, or null: signs of the notation or a line end in it, or its length. */
export function rubyProblem(base: string, readingText: string): 'signs' | 'too-long' | null {
  if (/[｜|《》\n]/.test(base) || /[《》\n]/.test(readingText)) return 'signs'
  return isLong(base, readingText) ? 'too-long' : null
}

export function isKanji(character: string): boolean {
  return new RegExp(`^${kanji}$`, 'u').test(character)
}

function isLong(base: string, readingText: string): boolean {
  return [...base].length > rubyLimits.base || [...readingText].length > rubyLimits.reading
}
