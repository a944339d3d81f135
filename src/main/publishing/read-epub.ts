import { posix } from 'node:path'
import { strFromU8 } from 'fflate/browser'
import { AppError } from '../../shared/errors.ts'
import type { ImportedChapter } from '../../shared/text/manuscript/from-site.ts'
import { withoutRuby } from '../../shared/text/manuscript/ruby.ts'
import { readArchive } from './read-archive.ts'
import { decoded, linesOfHtml, parted, textOf, withNotation } from './read-html.ts'

const limits = { files: 5_000, bytes: 200_000_000 }
const pages = /\.(xhtml|html|htm|xml|opf)$/i

/**
 * Reads an EPUB as chapters: each page in reading order, with its first heading as title; a page with several headings
 * of a level is split at them. Ruby and emphasis are converted to the notation of manuscripts.
 *
 * Errors: `work/bad-import`.
 * Source: https://www.w3.org/TR/epub-33/, the package document.
 */
export function readEpub(bytes: Uint8Array, path: string): ImportedChapter[] {
  try {
    const files = readArchive(bytes, (name) => pages.test(name), limits)
    return pagesOf(files).flatMap((page) => chaptersOfPage(textIn(files, page)))
  } catch (error) {
    throw new AppError({ code: 'work/bad-import', path }, { cause: error })
  }
}

function textIn(files: ReadonlyMap<string, Uint8Array>, name: string): string {
  const content = files.get(name)
  if (content === undefined) throw new Error(`no ${name}`)
  return strFromU8(content)
}

/** Returns the paths of the spine's pages, without the table of contents. */
function pagesOf(files: ReadonlyMap<string, Uint8Array>): string[] {
  const packagePath = attribute(textIn(files, 'META-INF/container.xml'), 'full-path')
  const opf = textIn(files, packagePath)
  const hrefs = new Map<string, string>()
  for (const [item] of opf.matchAll(/<(?:\w+:)?item\s[^>]*>/g)) {
    const isContents = attribute(item, 'properties').split(/\s+/).includes('nav')
    // A page may be a picture, which has no text.
    const isPicture = attribute(item, 'media-type').startsWith('image/')
    if (!isContents && !isPicture) hrefs.set(attribute(item, 'id'), pathOf(attribute(item, 'href')))
  }
  return [...opf.matchAll(/<(?:\w+:)?itemref\s[^>]*>/g)].flatMap(([reference]) => {
    const href = hrefs.get(attribute(reference, 'idref'))
    const isBeside = attribute(reference, 'linear') === 'no'
    return href === undefined || isBeside ? [] : [posix.join(posix.dirname(packagePath), href)]
  })
}

/** Returns the path of a URL; itself where a percent sign in it stands for nothing. */
function pathOf(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

function attribute(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag)
  return decoded(found?.[1] ?? found?.[2] ?? '')
}

const emphasis = /<em(?: [^>]*)?>([\s\S]{0,400}?)<\/em>/gi

function chaptersOfPage(xhtml: string): ImportedChapter[] {
  const begin = /<body[^>]*>/i.exec(xhtml)
  if (begin === null) throw new Error('a page without a body')
  const html = xhtml
    .slice(begin.index + begin[0].length)
    // An unclosed comment or script reaches to the end of the page. Without `$` the search for its end would start again
    // at each beginning, which takes the square of the page's length.
    .replace(/<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, '')
    // Line breaks and indentation of a page's source mean nothing.
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/<p(?: [^>]*)?>\s*<br ?\/?>\s*<\/p>/gi, '<p></p>')
  const lines = linesOfHtml(withNotation(html, emphasis)).map(({ level, text }) => ({
    level,
    text: text.replace(/^ +| +$/g, ''),
  }))
  const chapters = parted(lines)
  const title = lines.findIndex(({ level }) => level > 0)
  if (chapters.length > 1 || title < 0) return chapters
  const text = textOf(lines.filter((_, index) => index !== title).map((line) => line.text))
  return [{ title: withoutRuby(lines[title]?.text ?? ''), text }]
}
