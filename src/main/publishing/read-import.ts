import { extname } from 'node:path'
import { AppError, isAppError } from '../../shared/errors.ts'
import {
  chaptersOf,
  fromSite,
  type ImportedChapter,
  notationOf,
  titleFromSite,
} from '../../shared/text/manuscript/from-site.ts'
import { withoutRuby } from '../../shared/text/manuscript/ruby.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import { sortedByPath } from '../platform/files/natural-order.ts'
import { readTextFile } from '../platform/files/text-file.ts'
import { answerThread } from '../platform/node/limited-thread.ts'
import { parseProject } from '../workspace/work/project-file.ts'
import { readArchive } from './read-archive.ts'
import { withNotation } from './read-html.ts'

/** Units: bytes, unpacked. */
const limitUnpackedBytes = 200_000_000
/** Maximum number of chapters, each of which becomes a file of the work. */
const limitChapters = 5_000

/** The input of the thread that reads an imported file. */
export type ImportWork = { bytes: Uint8Array; path: string }
/** The file's chapters; null where the file is of no known kind or has no text. */
export type ImportAnswer = ImportedChapter[] | 'too-many' | null

export const moduleUrl = import.meta.url

/**
 * Reads a file as chapters: text in any encoding that manuscripts have, Markdown, a Word file, an EPUB, a project file,
 * or an archive of texts from a posting site. The time depends on the file, so that the app runs this in a thread only.
 */
export async function readImport({ bytes, path }: ImportWork): Promise<ImportAnswer> {
  try {
    const chapters = await read(bytes, path)
    const filled = chapters.filter(({ title, text }) => title !== '' || text.trim() !== '')
    if (filled.length > limitChapters) return 'too-many'
    return filled.length === 0 ? null : filled
  } catch (error) {
    if (isAppError(error, 'work/bad-import')) return null
    throw error
  }
}

/** Errors: `work/bad-import`. */
async function read(bytes: Uint8Array, path: string): Promise<ImportedChapter[]> {
  const extension = extname(path).toLowerCase()
  if (extension === '.docx') return (await import('./read-docx.ts')).readDocx(bytes, path)
  if (extension === '.epub') return (await import('./read-epub.ts')).readEpub(bytes, path)
  if (extension === '.zip') return chaptersOfArchive(bytes, path)
  if (extension === '.json') {
    const project = parseProject(bytes)
    if (project === undefined) throw new AppError({ code: 'work/bad-import', path })
    return [{ title: project.details.title, text: `${project.mainText.trimEnd()}\n` }]
  }
  return readText(bytes, path, extension)
}

function readText(bytes: Uint8Array, path: string, extension: string): ImportedChapter[] {
  try {
    const text = readTextFile(bytes, path).doc.toString()
    const isMarkdown = extension === '.md' || extension === '.markdown'
    const notation = notationOf(text)
    // Headings and page breaks in Aozora notation are read before its notes are removed.
    return chaptersOf(text, isMarkdown).map(({ title, text: own }) =>
      isMarkdown
        ? { title: withoutRuby(plainMarkdown(title)), text: fromSite(fromMarkdown(own), notation) }
        : { title: titleFromSite(title, notation), text: fromSite(own, notation) },
    )
  } catch (error) {
    if (isAppError(error, 'file/not-text')) throw new AppError({ code: 'work/bad-import', path })
    throw error
  }
}

/**
 * Converts Markdown to the text of a manuscript: HTML ruby, bold Japanese words and escaped signs, as an export writes
 * them. In a Japanese text whose lines are all separate paragraphs, removes the blank lines that only separate these.
 */
function fromMarkdown(text: string): string {
  const plain = plainMarkdown(text)
  const isParted = !/[^\n]\n[^\n]/.test(plain.trimEnd())
  return isParted && languageOfText(plain) === 'ja' ? plain.replace(/\n\n/g, '\n') : plain
}

function plainMarkdown(text: string): string {
  return withNotation(text, /\*\*([^*\n]+?)\*\*/g)
    .replace(/\\([\\`*_[\]<>&#|~+=.)-])/g, '$1')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&')
}

/** Reads the texts of an archive, each as one or several chapters; its name is the title. */
function chaptersOfArchive(bytes: Uint8Array, path: string): ImportedChapter[] {
  let files: Map<string, Uint8Array>
  try {
    const isText = (name: string): boolean =>
      /\.(txt|text|md|markdown)$/i.test(name) && !/(^|\/)(__MACOSX|\.)/.test(name)
    files = readArchive(bytes, isText, { files: limitChapters, bytes: limitUnpackedBytes })
  } catch (error) {
    throw new AppError({ code: 'work/bad-import', path }, { cause: error })
  }
  return sortedByPath([...files], ([name]) => name).flatMap(([name, content]) => {
    const chapters = readText(content, name, extname(name).toLowerCase())
    const title = name.slice(name.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
    return chapters.map((chapter) => ({ ...chapter, title: chapter.title || title }))
  })
}

await answerThread(moduleUrl, readImport)
