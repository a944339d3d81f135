import {
  BuilderElement,
  Document,
  EmphasisMarkType,
  HeadingLevel,
  Packer,
  PageTextDirectionType,
  Paragraph,
  type ParagraphChild,
  Run,
  TextRun,
} from 'docx'
import type { ExportOptions } from '../../shared/domain/work/publishing.ts'
import type { NotationPiece } from '../../shared/text/manuscript/notation.ts'
import { type Book, linesOf } from './chapter.ts'

/** Units: half points. */
const textSize = 21
const rubySize = 10

/** Returns a book as a Word file: each chapter on a new page, ruby and emphasis as Word's own. */
export async function docxBytes(book: Book, options: Pick<ExportOptions, 'isVertical' | 'dice'>) {
  const hasTitle = book.chapters.length > 1
  const children = book.chapters.flatMap((chapter, index) => [
    ...(chapter.title === ''
      ? []
      : [
          new Paragraph({
            heading: HeadingLevel.HEADING_1,
            pageBreakBefore: index > 0 || hasTitle,
            children: [new TextRun(wordText(chapter.title))],
          }),
        ]),
    ...linesOf(chapter, options.dice).map(
      (line, at) =>
        new Paragraph({
          pageBreakBefore: chapter.title === '' && at === 0 && index > 0,
          children: line.map(pieceRun),
        }),
    ),
  ])
  const title = hasTitle
    ? [new Paragraph({ heading: HeadingLevel.TITLE, children: [new TextRun(wordText(book.title))] })]
    : []
  const document = new Document({
    title: wordText(book.title),
    creator: wordText(book.author),
    styles: {
      default: {
        document: { run: { size: textSize, language: { value: book.language, eastAsia: 'ja-JP' } } },
      },
    },
    sections: [
      {
        properties: options.isVertical
          ? { page: { textDirection: PageTextDirectionType.TOP_TO_BOTTOM_RIGHT_TO_LEFT } }
          : {},
        children: [...title, ...children],
      },
    ],
  })
  return Packer.toBuffer(document)
}

function pieceRun(piece: NotationPiece): ParagraphChild {
  if (piece.kind === 'text') return new TextRun(wordText(piece.text))
  if (piece.kind === 'emphasis')
    return new TextRun({ text: wordText(piece.text), emphasisMark: { type: EmphasisMarkType.DOT } })
  return new Run({ children: [rubyOf(wordText(piece.base), wordText(piece.reading))] })
}

/** Source: ECMA-376 Part 1, 17.3.3.25 (`ruby`); the library has no class for it. */
function rubyOf(base: string, reading: string): BuilderElement {
  const value = (name: string, text: string | number) =>
    new BuilderElement({ name, attributes: { value: { key: 'w:val', value: text } } })
  return new BuilderElement({
    name: 'w:ruby',
    children: [
      new BuilderElement({
        name: 'w:rubyPr',
        children: [
          value('w:rubyAlign', 'distributeSpace'),
          value('w:hps', rubySize),
          value('w:hpsRaise', textSize - 2),
          value('w:hpsBaseText', textSize),
          value('w:lid', 'ja-JP'),
        ],
      }),
      new BuilderElement({ name: 'w:rt', children: [new TextRun({ text: reading, size: rubySize })] }),
      new BuilderElement({ name: 'w:rubyBase', children: [new TextRun(base)] }),
    ],
  })
}

/** Removes characters that XML cannot contain. */
function wordText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are no characters of XML
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '')
}
