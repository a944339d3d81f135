import { isKanji, withoutRuby } from './ruby.ts'

/** A chapter of an imported text. `title` is empty where the text names none. */
export type ImportedChapter = { title: string; text: string }

/** The site whose notation a text uses. `narou` and `aozora` are recognised by signs that only they have. */
export type TextNotation = 'kakuyomu' | 'narou' | 'aozora'

export function notationOf(text: string): TextNotation {
  if (/［＃[^］]*］/u.test(text)) return 'aozora'
  const hasDottedLetter = /[｜|]?[^｜|《》\n]《[・﹅•]》/u.test(text)
  const hasBracketRuby = /[\p{Script=Han}][（(][ぁ-ゖァ-ヺー]{1,10}[)）]/u.test(text) && !text.includes('《')
  return hasDottedLetter || hasBracketRuby ? 'narou' : 'kakuyomu'
}

/** Returns a title in a site's notation as it is read. */
export function titleFromSite(title: string, notation: TextNotation): string {
  return notation === 'aozora' ? withoutRuby(fromAozora(title)) : title
}

/** Converts a site's notation to the notation of manuscripts here: `｜親《るび》`, `《《…》》`. */
export function fromSite(text: string, notation: TextNotation): string {
  if (notation === 'narou') return fromNarou(text)
  return notation === 'aozora' ? fromAozora(text) : text
}

/** Source: https://syosetu.com/man/ruby/ and helppageid/43: dots are ruby of single characters. */
function fromNarou(text: string): string {
  const dots = /(?:[｜|]?[^｜|《》\n]《[・﹅•]》)+/gu
  const undone = text.replace(dots, (run) => {
    const word = run.replace(/[｜|]?([^｜|《》\n])《[・﹅•]》/gu, '$1')
    return `《《${word}》》`
  })
  return undone
    .replace(
      /(?<!［＃)([｜|]?)([\p{Script=Han}]{1,10})[（(]([ぁ-ゖァ-ヺー・]{1,10})[)）]/gu,
      (whole, bar: string, word: string, reading: string) =>
        [...word].every(isKanji) ? `${bar}${word}《${reading}》` : whole,
    )
    .replace(/[｜|](?=[（(])/gu, '')
}

const aozoraSigns: Readonly<Record<string, string>> = {
  始め二重山括弧: '｜《',
  終わり二重山括弧: '》',
  始め角括弧: '［',
  終わり角括弧: '］',
  始め亀甲括弧: '〔',
  終わり亀甲括弧: '〕',
  縦線: '｜',
  井げた: '＃',
  米印: '※',
}

function fromAozora(text: string): string {
  return (
    withDots(withoutAozoraHead(text))
      .replace(/［＃傍点］((?:[^\n］]|※［＃[^\n］]*］)*?)［＃傍点終わり］/gu, '《《$1》》')
      .replace(/^［＃[０-９]+字下げ］/gmu, '')
      // Comes last: a sign of the text that stands for itself must not become part of a note.
      .replace(/※［＃([^、］]+)、[^］]*］/gu, (whole, name: string) => aozoraSigns[name] ?? whole)
  )
}

const dotsOfAozora = /」に(?:白ゴマ|丸|白丸|黒三角|白三角|二重丸|蛇の目|ばつ)?傍点］/gu
/** Maximum number of notes before the end of one that are tried as its beginning. */
const limitOpenings = 4

/** Converts notes of dots that quote the word before them. The word may contain quotations and other notes. */
function withDots(text: string): string {
  let converted = ''
  let at = 0
  for (const { 0: end, index: wordEnd } of text.matchAll(dotsOfAozora)) {
    const lineFrom = Math.max(at, text.lastIndexOf('\n', wordEnd) + 1)
    let from = text.lastIndexOf('［＃「', wordEnd)
    for (let tried = 0; from >= lineFrom && tried < limitOpenings; tried++) {
      const word = text.slice(from + 3, wordEnd)
      if (word !== '' && from - word.length >= lineFrom && text.startsWith(word, from - word.length)) {
        converted += `${text.slice(at, from - word.length)}《《${word}》》`
        at = wordEnd + end.length
        break
      }
      from = from === 0 ? -1 : text.lastIndexOf('［＃「', from - 1)
    }
  }
  return converted + text.slice(at)
}

/** Removes the head that explains the signs, with the two rows of hyphens around it. */
function withoutAozoraHead(text: string): string {
  return text.replace(/^-{20,}\n【テキスト中に現れる記号について】[\s\S]*?^-{20,}\n+/mu, '')
}

/**
 * Splits an imported text into chapters: at Markdown headings of the highest level that occurs more than once, at
 * the page breaks and headings of Aozora. A text without such signs is one chapter; the only heading of Markdown that
 * begins with it is its title.
 */
export function chaptersOf(text: string, isMarkdown: boolean): ImportedChapter[] {
  const withoutPages = withoutAozoraHead(text).replace(/^［＃改ページ］\n?/gmu, '')
  const aozora = partsAt(withoutPages, aozoraHeading, 2)
  if (aozora.length > 0) return aozora
  if (isMarkdown) {
    const hasOneTitle = /^\s*#{1,3}[ \t]/.test(text) && text.match(/^#{1,6}[ \t]/gmu)?.length === 1
    for (const level of [1, 2, 3]) {
      const heading = new RegExp(`^#{${level}}[ \\t]+(.+?)[ \\t]*#*$\\n?`, 'gmu')
      const parts = partsAt(text, heading, 1)
      if (parts.length > (hasOneTitle ? 0 : 1)) return parts
    }
  }
  const pages = text.split(/^［＃改ページ］\n?/mu).filter((part) => part.trim() !== '')
  return pages.map((page) => ({ title: '', text: tidy(page) }))
}

/** A line with a note behind the title that quotes it, or with two notes around the title. */
const aozoraHeading =
  /^(?:.*［＃「(.+?)」は[大中]見出し］|(?:［＃[^］\n]*字下げ］)?［＃[大中]見出し］(.+?)［＃[大中]見出し終わり］)\n?/gmu

/**
 * Splits a text at headings, whose title is the first group that matches. Text before the first heading is a chapter,
 * too, unless it is the title of the work, with its author or not.
 */
function partsAt(text: string, heading: RegExp, titleLines: number): ImportedChapter[] {
  const found = [...text.matchAll(heading)]
  return found.flatMap((match, index) => {
    const from = match.index + match[0].length
    const title = match.slice(1).find((group) => group !== undefined) ?? ''
    const part = { title: title.trim(), text: tidy(text.slice(from, found[index + 1]?.index)) }
    const before = index === 0 ? tidy(text.slice(0, match.index)) : ''
    return isTitle(before, titleLines) ? [part] : [{ title: '', text: before }, part]
  })
}

/** True for at most so many lines that are headings or do not end like sentences. */
export function isTitle(text: string, mostLines: number): boolean {
  const lines = text.trim().split('\n')
  return (
    lines.length <= mostLines && lines.every((line) => /^#/.test(line) || !/[。．.！!？?」』…]$/u.test(line))
  )
}

function tidy(text: string): string {
  const trimmed = text.replace(/^\n+/, '').trimEnd()
  return trimmed === '' ? '' : `${trimmed}\n`
}
