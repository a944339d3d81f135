import { strFromU8, strToU8, zipSync } from 'fflate/browser'
import { AppError } from '../../shared/errors.ts'
import type { ImportedChapter } from '../../shared/text/manuscript/from-site.ts'
import { readArchive } from './read-archive.ts'
import { linesOfHtml, parted } from './read-html.ts'

const documentName = 'word/document.xml'
/** Limits of a document, far above a novel's few megabytes. Units: bytes, unpacked. */
const limits = { files: 5_000, bytes: 100_000_000 }

/**
 * Reads a Word file as chapters, split at the highest level of headings that occurs more than once. Ruby and emphasis
 * marks are converted to the notation of manuscripts; pictures and tables' borders are left out.
 *
 * Errors: `work/bad-import`.
 */
export async function readDocx(bytes: Uint8Array, path: string): Promise<ImportedChapter[]> {
  const { default: mammoth } = await import('mammoth')
  try {
    const buffer = Buffer.from(withNotation(bytes))
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        ignoreEmptyParagraphs: false,
        externalFileAccess: false,
        // The title of a book is a heading below those of its chapters.
        styleMap: ["p[style-name='Title'] => h6:fresh"],
      },
    )
    return parted(linesOfHtml(value))
  } catch (error) {
    // The libraries throw plain errors for files that are not Word files.
    throw new AppError({ code: 'work/bad-import', path }, { cause: error })
  }
}

/** Writes ruby and emphasis into the text as notation first, since Mammoth leaves out ruby with its words. */
function withNotation(bytes: Uint8Array): Uint8Array {
  const files = readArchive(bytes, (name) => !name.startsWith('word/media/'), limits)
  const xml = files.get(documentName)
  if (xml === undefined) throw new Error(`no ${documentName}`)
  files.set(documentName, strToU8(notationInXml(strFromU8(xml))))
  return zipSync(Object.fromEntries(files), { level: 0 })
}

function notationInXml(xml: string): string {
  const withRuby = xml.replace(/<w:ruby>([\s\S]*?)<\/w:ruby>/g, (_, ruby: string) => {
    const reading = textIn(/<w:rt>([\s\S]*?)<\/w:rt>/.exec(ruby)?.[1] ?? '')
    const base = textIn(/<w:rubyBase>([\s\S]*?)<\/w:rubyBase>/.exec(ruby)?.[1] ?? '')
    return `<w:t xml:space="preserve">${reading === '' ? base : `｜${base}《${reading}》`}</w:t>`
  })
  return withRuby.replace(/<w:r(?: [^>]*)?>(?:(?!<\/w:r>)[\s\S])*?<\/w:r>/g, (run) =>
    /<w:em w:val="(?!none)[^"]*"\s*\/>/.test(run)
      ? run.replace(/(<w:t(?: [^>]*)?>)([^<]+)(<\/w:t>)/g, '$1《《$2》》$3')
      : run,
  )
}

function textIn(xml: string): string {
  return [...xml.matchAll(/<w:t(?: [^>]*)?>([^<]*)<\/w:t>/g)].map((match) => match[1] ?? '').join('')
}
