import type { BlankLineRule, Site } from '../../domain/work/publishing.ts'
import { isBlank } from '../white-space.ts'
import { countCharacters } from './character-count.ts'
import { settleDice } from './dice.ts'
import { readerText } from './manuscript-marks.ts'
import { type NotationPiece, readNotation } from './notation.ts'
import { isKanji } from './ruby.ts'

export type SiteTextOptions = { blankLines: BlankLineRule; dice: Readonly<Record<string, string>> }

/** The longest ruby that a site accepts. Units: code points. */
type RubyLimit = { base: number; reading: number }

/**
 * `kakuyomu`: https://kakuyomu.jp/help/entry/notation (base up to 20, reading up to 50).
 * `narou`: https://syosetu.com/man/ruby/ (both up to 10).
 */
const limits: Partial<Record<Site, RubyLimit>> = {
  kakuyomu: { base: 20, reading: 50 },
  narou: { base: 10, reading: 10 },
}

/**
 * Writes a manuscript for pasting into a site: without comments and commands, with the dice settled, and with
 * ruby and emphasis in the site's own notation.
 *
 * Shape: LF line ends, no blank lines at either end, a line end behind the last line.
 */
export function siteText(source: string, site: Site, options: SiteTextOptions): string {
  const settled = settleDice(readerText(source), options.dice)
  const lines = withBlankLines(settled.split('\n'), options.blankLines)
  const text = lines.map((line) => siteLine(line, site)).join('\n')
  return text === '' ? '' : `${text}\n`
}

/** Counts the result of `siteText` as the sites count it. Units: graphemes. */
export function siteCount(source: string, dice: Readonly<Record<string, string>>): number {
  return countCharacters(settleDice(readerText(source), dice))
}

export function siteLine(line: string, site: Site): string {
  const pieces = readNotation(line)
  let text = ''
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'text') text += literal(piece.text, text, site)
    else if (piece.kind === 'emphasis') text += emphasis(piece.text, text, site)
    else text += ruby(piece, text, site, pieces[index - 1])
  }
  return text
}

function ruby(
  { base, reading }: Extract<NotationPiece, { kind: 'ruby' }>,
  before: string,
  site: Site,
  last: NotationPiece | undefined,
): string {
  const limit = limits[site]
  const isTooLong = limit !== undefined && (sizeOf(base) > limit.base || sizeOf(reading) > limit.reading)
  const isRefused = site === 'narou' && /[&"<>]/.test(base + reading)
  // A word of Latin letters gets its reading in Western brackets.
  if (site === 'plain' && /^[\p{Script=Latin}\p{N}\p{P} ]+$/u.test(base + reading))
    return `${base} (${reading})`
  if (site === 'plain' || isTooLong || isRefused || isBlank(base) || isBlank(reading)) {
    // After kanji, Narou would turn text in brackets into ruby.
    const bar = site === 'narou' && becomesNarouRuby(base, reading) ? '｜' : ''
    return `${literal(base, before, site)}${bar}（${literal(reading, '（', site)}）`
  }
  const words = site === 'aozora' ? aozoraLiteral(base) : base
  const above = site === 'aozora' ? aozoraLiteral(reading) : reading
  return `${needsBar(base, before, site, last) ? '｜' : ''}${words}《${above}》`
}

/** Returns true where the site would not find the beginning of the word by itself. */
function needsBar(base: string, before: string, site: Site, last: NotationPiece | undefined): boolean {
  const previous = last?.kind === 'text' ? lastCharacter(before) : ''
  if (site === 'aozora') {
    const kinds = new Set([...base].map(aozoraKind))
    const [kind] = kinds
    return kinds.size > 1 || kind === 'other' || (previous !== '' && aozoraKind(previous) === kind)
  }
  const isWord = site === 'narou' ? isNarouKanji : isHan
  return ![...base].every(isWord) || isKanji(previous)
}

function emphasis(text: string, before: string, site: Site): string {
  if (site === 'kakuyomu') return `《《${text}》》`
  // Source: https://syosetu.com/helpcenter/helppage/helppageid/43/: a dot as the ruby of each character.
  if (site === 'narou') {
    return [...text]
      .map((character) =>
        isBlank(character) || /[&"<>]/.test(character) ? character : `｜${character}《・》`,
      )
      .join('')
  }
  // Source: https://www.aozora.gr.jp/annotation/emphasis.html.
  if (site === 'aozora') return annotated(text, '傍点', 'に')
  return literal(text, before, site)
}

function literal(text: string, before: string, site: Site): string {
  if (site === 'plain') return text
  if (site === 'aozora') return aozoraLiteral(text)
  const quoted = escapeBrackets(text, before, site)
  return site === 'narou' ? withoutNarouRuby(quoted) : quoted
}

/** Puts `｜` before each `《` that the site would take for a sign of the notation. */
function escapeBrackets(text: string, before: string, site: Site): string {
  const isWord =
    site === 'narou'
      ? (character: string) => isKanji(character) || /[A-Za-zＡ-Ｚａ-ｚ]/.test(character)
      : isKanji
  let escaped = ''
  let last = lastCharacter(before)
  let isBarOpen = lastOf(before, ['｜', '|']) > lastOf(before, ['《', '》'])
  for (const character of text) {
    const isBar = last === '｜' || last === '|'
    if (character === '《' && !isBar && (isWord(last) || last === '《' || isBarOpen)) escaped += '｜'
    escaped += character
    if (character === '｜' || character === '|') isBarOpen = true
    else if (character === '《' || character === '》') isBarOpen = false
    last = character
  }
  return escaped
}

/** Keeps bracketed kana, which Narou takes for ruby, literal by `｜`. Source: https://syosetu.com/man/ruby/. */
function withoutNarouRuby(text: string): string {
  return text.replace(/(?<=[\p{Script=Han}A-Za-zＡ-Ｚａ-ｚ])(?=[（(][ぁ-ゖァ-ヺー・…]{1,20}[)）])/gu, '｜')
}

function becomesNarouRuby(base: string, reading: string): boolean {
  return withoutNarouRuby(`${base}（${reading}）`) !== `${base}（${reading}）`
}

/** Aozora's signs that stand for themselves. Source: https://www.aozora.gr.jp/annotation/external_character.html. */
const aozoraSigns: Readonly<Record<string, string>> = {
  '《': '※［＃始め二重山括弧、1-1-52］',
  '》': '※［＃終わり二重山括弧、1-1-53］',
  '［': '※［＃始め角括弧、1-1-46］',
  '］': '※［＃終わり角括弧、1-1-47］',
  '〔': '※［＃始め亀甲括弧、1-1-44］',
  '〕': '※［＃終わり亀甲括弧、1-1-45］',
  '｜': '※［＃縦線、1-1-35］',
  '＃': '※［＃井げた、1-1-84］',
  '※': '※［＃米印、1-2-8］',
}

export function aozoraLiteral(text: string): string {
  return text.replace(/[《》［］〔〕｜＃※]/gu, (sign) => aozoraSigns[sign] ?? sign)
}

/** Returns the kind of a character: without a bar, Aozora's ruby covers the run of one kind before it. */
function aozoraKind(character: string): string {
  if (/[\p{Script=Han}々仝〆〇ヶ]/u.test(character)) return 'kanji'
  if (/[ぁ-ゖゝゞ]/u.test(character)) return 'hiragana'
  if (/[ァ-ヺーヽヾ]/u.test(character)) return 'katakana'
  if (/[０-９Ａ-Ｚａ-ｚΑ-ωА-я]/u.test(character)) return 'full-width'
  if (/[A-Za-z0-9#\-&'.,]/.test(character)) return 'half-width'
  return 'other'
}

function isHan(character: string): boolean {
  return /^\p{Script=Han}$/u.test(character)
}

/** Returns false for `々` and the like, which Narou does not take for kanji: a word with one needs the bar. */
function isNarouKanji(character: string): boolean {
  return isHan(character) && !/[々〇〻]/u.test(character)
}

/** Writes a text with Aozora's note that quotes it; two notes around it where a bracket would end the quotation. */
function annotated(text: string, note: string, particle: string): string {
  const written = aozoraLiteral(text)
  return /[「」]/.test(text)
    ? `［＃${note}］${written}［＃${note}終わり］`
    : `${written}［＃「${written}」${particle}${note}］`
}

/** Source: https://www.aozora.gr.jp/annotation/: a new page, and a heading of the middle size. */
export function aozoraHeading(title: string): string {
  return `［＃３字下げ］${annotated(title, '中見出し', 'は')}`
}
export const aozoraNewPage = '［＃改ページ］'

function withBlankLines(lines: readonly string[], rule: BlankLineRule): string[] {
  const kept: string[] = []
  for (const line of lines) {
    if (!isBlank(line)) {
      if (rule === 'between' && kept.length > 0) kept.push('')
      kept.push(line)
    } else if (kept.length > 0 && (rule === 'keep' || (rule === 'single' && kept.at(-1) !== '')))
      kept.push('')
  }
  while (kept.at(-1) === '') kept.pop()
  return kept
}

function sizeOf(text: string): number {
  return [...text].length
}

function lastOf(text: string, characters: readonly string[]): number {
  return Math.max(...characters.map((character) => text.lastIndexOf(character)))
}

function lastCharacter(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ''
}
