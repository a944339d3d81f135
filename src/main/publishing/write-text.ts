import type { ExportOptions } from '../../shared/domain/work/publishing.ts'
import type { NotationPiece } from '../../shared/text/manuscript/notation.ts'
import {
  aozoraHeading,
  aozoraLiteral,
  aozoraNewPage,
  siteText,
} from '../../shared/text/manuscript/site-text.ts'
import { type Book, type Chapter, linesOf } from './chapter.ts'

/** Returns the book as plain text in the requested notation, with titles above their chapters. */
export function bookText(book: Book, options: ExportOptions): string {
  const isAozora = options.site === 'aozora'
  const chapters = book.chapters.map((chapter) => chapterText(chapter, options))
  // Source: https://www.aozora.gr.jp/KOSAKU/MANUAL_2.html: title and author in the first lines.
  const head = isAozora
    ? [aozoraLiteral(book.title), ...(book.author === '' ? [] : [aozoraLiteral(book.author)])].join('\n')
    : book.title
  return [`${head}\n`, ...chapters].join(isAozora ? `\n${aozoraNewPage}\n` : '\n\n')
}

export function chapterText(chapter: Chapter, options: ExportOptions): string {
  const text = siteText(chapter.text, options.site, options)
  if (chapter.title === '') return text
  const heading = options.site === 'aozora' ? aozoraHeading(chapter.title) : chapter.title
  return `${heading}\n\n${text}`
}

/** Returns the book as Markdown: ruby as HTML, emphasis in bold, each line a paragraph. */
export function bookMarkdown(book: Book, options: ExportOptions): string {
  const chapters = book.chapters.map((chapter) => chapterMarkdown(chapter, options, 2))
  return [`# ${markdownText(book.title)}\n`, ...chapters].join('\n')
}

export function chapterMarkdown(chapter: Chapter, options: ExportOptions, level: 1 | 2): string {
  const lines = linesOf(chapter, options.dice).filter((line) => line.length > 0)
  const paragraphs = lines.map((line) => guardStart(line.map(markdownPiece).join('')))
  const heading = chapter.title === '' ? [] : [`${'#'.repeat(level)} ${markdownText(chapter.title)}`]
  return `${[...heading, ...paragraphs].join('\n\n')}\n`
}

function markdownPiece(piece: NotationPiece): string {
  if (piece.kind === 'text') return markdownText(piece.text)
  if (piece.kind === 'emphasis') return `**${markdownText(piece.text)}**`
  return `<ruby>${markdownText(piece.base)}<rp>（</rp><rt>${markdownText(piece.reading)}</rt><rp>）</rp></ruby>`
}

function markdownText(text: string): string {
  return text.replace(/[\\`*_[\]<>&#|~]/g, (sign) =>
    sign === '<' ? '&lt;' : sign === '&' ? '&amp;' : `\\${sign}`,
  )
}

/** Escapes the beginning of a line that would begin a list, a quotation or a rule. */
function guardStart(line: string): string {
  return line.replace(/^(\s*)([-+=]|\d+[.)])/, (_, space: string, sign: string) =>
    /^\d/.test(sign) ? `${space}${sign.slice(0, -1)}\\${sign.slice(-1)}` : `${space}\\${sign}`,
  )
}
