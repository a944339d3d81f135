import { type ImportedChapter, isTitle } from '../../shared/text/manuscript/from-site.ts'
import { withoutRuby } from '../../shared/text/manuscript/ruby.ts'

/** `level` is that of a heading; 0: a line of the text. */
export type HtmlLine = { level: number; text: string }

/** Elements whose text begins a line and ends it, as it does in paragraphs. */
const block =
  /^(h[1-6]|p|li|div|section|article|aside|main|header|footer|blockquote|pre|figure|figcaption|[uod]l|d[td]|table|tr|t[hd]|hr)$/

/** Returns the lines of a page: headings, paragraphs, list items, and text of other blocks that is not blank. */
export function linesOfHtml(html: string): HtmlLine[] {
  const lines: HtmlLine[] = []
  let level = 0
  let text = ''
  const end = (): void => {
    lines.push({ level, text })
    level = 0
    text = ''
  }
  for (const match of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>|([^<]+)/gi)) {
    const [, slash, name = '', characters] = match
    const tag = name.toLowerCase()
    if (characters !== undefined) text += decoded(characters)
    else if (tag === 'br') end()
    else if (/^(h[1-6]|p|li)$/.test(tag) && slash === '/') end()
    else if (block.test(tag)) {
      if (text.trim() !== '') end()
      if (/^h[1-6]$/.test(tag)) level = Number(tag[1])
    }
  }
  if (text.trim() !== '') end()
  return lines
}

/**
 * Splits lines into chapters at the highest level of headings that occurs more than once. The only heading of a text
 * that begins with it is the title of the one chapter.
 */
export function parted(lines: readonly HtmlLine[]): ImportedChapter[] {
  const level = chapterLevel(lines)
  const first: { title: string; lines: HtmlLine[] } = { title: '', lines: [] }
  const chapters = [first]
  for (const line of lines) {
    if (level !== undefined && line.level === level) chapters.push({ title: line.text.trim(), lines: [] })
    else chapters.at(-1)?.lines.push(line)
  }
  if (chapters.length > 1 && isBookTitle(first.lines)) chapters.shift()
  return chapters
    .map(({ title, lines: own }) => ({
      title: withoutRuby(title),
      text: textOf(own.map(({ text }) => text)),
    }))
    .filter(({ title, text }) => title !== '' || text.trim() !== '')
}

function chapterLevel(lines: readonly HtmlLine[]): number | undefined {
  const headings = lines.filter(({ level }) => level > 0)
  const [first] = headings
  if (headings.length === 1 && first === lines.find(({ text }) => text.trim() !== '')) return first?.level
  return [1, 2, 3, 4, 5, 6].find((wanted) => headings.filter(({ level }) => level === wanted).length > 1)
}

/** Returns whether the text before the first chapter is only the title of the book. */
function isBookTitle(lines: readonly HtmlLine[]): boolean {
  const filled = lines.filter(({ text }) => text.trim() !== '')
  return filled.length <= 1 && filled.every(({ level, text }) => level > 0 || isTitle(text, 1))
}

export function textOf(lines: readonly string[]): string {
  return `${lines.join('\n').replace(/^\n+/, '').trimEnd()}\n`
}

/**
 * Replaces ruby and emphasis of HTML by the notation of manuscripts. `emphasis` matches the tags of words with
 * emphasis dots.
 */
export function withNotation(html: string, emphasis: RegExp): string {
  const withRuby = html.replace(/<ruby(?: [^>]*)?>([\s\S]{0,1000}?)<\/ruby>/gi, (_, ruby: string) => {
    const plain = ruby.replace(/<rp(?: [^>]*)?>[\s\S]*?<\/rp>/gi, '')
    return plain.replace(/([\s\S]*?)<rt(?: [^>]*)?>([\s\S]*?)<\/rt>/gi, (__, base: string, rt: string) => {
      const [word, reading] = [withoutTags(base), withoutTags(rt)]
      return word === '' || reading === '' ? word : `｜${word}《${reading}》`
    })
  })
  return withRuby.replace(emphasis, (whole: string, inner: string) => {
    const word = withoutTags(inner)
    // The notation of emphasis cannot contain its own signs.
    return japanese.test(word) && !/[《》\n]/.test(word) ? `《《${word}》》` : whole
  })
}

/** Matches Japanese characters. Other scripts have no emphasis dots; they use italics or bold. */
const japanese = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

function withoutTags(html: string): string {
  return html.replace(/<[^>]*>/g, '').trim()
}

/** Names of U+00A0 … U+00FF, in order. Source: HTML 4.01, 24.2.1. */
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml'

/** Names and characters of prose. Source: HTML 4.01, 24.2.1, and 24.3 and 24.4 without mathematics and Greek. */
const others =
  'amp & lt < gt > quot " apos \' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ circ ˆ tilde ˜ ndash – ' +
  'mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ ' +
  'prime ′ Prime ″ lsaquo ‹ rsaquo › euro € trade ™ larr ← uarr ↑ rarr → darr ↓ minus − infin ∞ ' +
  'spades ♠ clubs ♣ hearts ♥ diams ♦'

const entities: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
  ...[...others.matchAll(/(\w+) (\S)/g)].map(([, name = '', sign = '']): [string, string] => [name, sign]),
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['zwnj', '\u200c'],
  ['zwj', '\u200d'],
  ['lrm', '\u200e'],
  ['rlm', '\u200f'],
])

export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
