import { strToU8, type Zippable, zipSync } from 'fflate/browser'
import type { ExportOptions } from '../../shared/domain/work/publishing.ts'
import type { NotationPiece } from '../../shared/text/manuscript/notation.ts'
import { type Book, type Chapter, linesOf, xmlText } from './chapter.ts'

/**
 * Returns a book as EPUB 3.3, its text vertical or horizontal.
 *
 * Shape: `id` is 32 hexadecimal digits, the same for the same work; `modifiedAt` in milliseconds since the epoch.
 * Source: https://www.w3.org/TR/epub-33/. No maintained library sets `page-progression-direction`, without which the
 * pages of vertical text turn the wrong way: the files of the EPUB are written here, the archive by `fflate`.
 */
export function epubBytes(
  book: Book,
  options: Pick<ExportOptions, 'isVertical' | 'dice'>,
  { id, modifiedAt }: { id: string; modifiedAt: number },
): Uint8Array {
  const names = book.chapters.map((_, index) => `chapter-${String(index + 1).padStart(4, '0')}.xhtml`)
  const files: Zippable = {
    // The first file, and the only one stored without compression: readers recognise an EPUB by it.
    mimetype: [strToU8('application/epub+zip'), { level: 0 }],
    'META-INF/container.xml': strToU8(container),
    'OEBPS/package.opf': strToU8(packageOf(book, names, options.isVertical, id, modifiedAt)),
    'OEBPS/nav.xhtml': strToU8(navigation(book, names)),
    'OEBPS/style.css': strToU8(style(options.isVertical)),
  }
  for (const [index, chapter] of book.chapters.entries())
    files[`OEBPS/${names[index]}`] = strToU8(chapterPage(chapter, book, options.dice))
  return zipSync(files, { mtime: new Date(modifiedAt) })
}

const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
`

function packageOf(
  book: Book,
  names: readonly string[],
  isVertical: boolean,
  id: string,
  modifiedAt: number,
): string {
  const modified = `${new Date(modifiedAt).toISOString().slice(0, 19)}Z`
  const items = names.map(
    (name, index) => `    <item id="c${index + 1}" href="${name}" media-type="application/xhtml+xml"/>`,
  )
  const references = names.map((_, index) => `    <itemref idref="c${index + 1}"/>`)
  const author = book.author === '' ? '' : `\n    <dc:creator>${xmlText(book.author)}</dc:creator>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="${book.language}">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="id">urn:uuid:${uuidOf(id)}</dc:identifier>
    <dc:title>${xmlText(book.title)}</dc:title>${author}
    <dc:language>${book.language}</dc:language>
    <meta property="dcterms:modified">${modified}</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="style" href="style.css" media-type="text/css"/>
${items.join('\n')}
  </manifest>
  <spine page-progression-direction="${isVertical ? 'rtl' : 'ltr'}">
${references.join('\n')}
  </spine>
</package>
`
}

function navigation(book: Book, names: readonly string[]): string {
  const entries = book.chapters.map(
    ({ title }, index) =>
      `      <li><a href="${names[index]}">${xmlText(title === '' ? String(index + 1) : title)}</a></li>`,
  )
  return page(
    book.title,
    book.language,
    `  <nav epub:type="toc" id="toc">
    <h1>${xmlText(book.title)}</h1>
    <ol>
${entries.join('\n')}
    </ol>
  </nav>`,
  )
}

function chapterPage(chapter: Chapter, book: Book, dice: ExportOptions['dice']): string {
  const heading = chapter.title === '' ? '' : `  <h2>${xmlText(chapter.title)}</h2>\n`
  const lines = linesOf(chapter, dice).map((line) =>
    line.length === 0 ? '  <p><br/></p>' : `  <p>${line.map(pieceHtml).join('')}</p>`,
  )
  const body = lines.length === 0 && heading === '' ? '  <p><br/></p>' : lines.join('\n')
  return page(chapter.title || book.title, book.language, `${heading}${body}`)
}

function pieceHtml(piece: NotationPiece): string {
  if (piece.kind === 'text') return xmlText(piece.text)
  if (piece.kind === 'emphasis') return `<em>${xmlText(piece.text)}</em>`
  return `<ruby>${xmlText(piece.base)}<rp>（</rp><rt>${xmlText(piece.reading)}</rt><rp>）</rp></ruby>`
}

function page(title: string, language: string, body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="${language}" lang="${language}">
<head>
  <meta charset="UTF-8"/>
  <title>${xmlText(title)}</title>
  <link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body>
${body}
</body>
</html>
`
}

function style(isVertical: boolean): string {
  const mode = isVertical ? 'vertical-rl' : 'horizontal-tb'
  const dots = isVertical ? 'filled sesame' : 'filled dot'
  return `html {
  -epub-writing-mode: ${mode};
  -webkit-writing-mode: ${mode};
  writing-mode: ${mode};
}
body {
  line-height: 1.8;
}
h1, h2 {
  font-size: 1.2em;
}
p {
  margin: 0;
}
em {
  font-style: normal;
  -epub-text-emphasis-style: ${dots};
  -webkit-text-emphasis-style: ${dots};
  text-emphasis-style: ${dots};
}
`
}

/** Units: 32 hexadecimal digits, given the marks of a random UUID. */
function uuidOf(id: string): string {
  const digits = id.padEnd(32, '0').slice(0, 32)
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
