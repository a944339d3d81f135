import { extname } from 'node:path'
import { unzipSync } from 'fflate/browser'
import { AppError, isAppError } from '../../shared/errors.ts'
import {
  chaptersOf,
  fromSite,
  type ImportedChapter,
  notationOf,
} from '../../shared/text/manuscript/from-site.ts'
import { sortedByPath } from '../platform/files/natural-order.ts'
import { readTextFile } from '../platform/files/text-file.ts'
import { parseProject } from '../workspace/work/project-file.ts'

/** Units: bytes, unpacked. */
const limitUnpackedBytes = 200_000_000
const limitFiles = 5_000

/**
 * Reads what a file holds as chapters: text in any encoding that manuscripts have, Markdown, a Word file, a project
 * file, or an archive of texts as posting sites give it.
 *
 * Errors: `work/bad-import`.
 */
export async function readImport(bytes: Uint8Array, path: string): Promise<ImportedChapter[]> {
  const chapters = await read(bytes, path)
  const filled = chapters.filter(({ title, text }) => title !== '' || text.trim() !== '')
  if (filled.length === 0) throw new AppError({ code: 'work/bad-import', path })
  return filled
}

async function read(bytes: Uint8Array, path: string): Promise<ImportedChapter[]> {
  const extension = extname(path).toLowerCase()
  if (extension === '.docx') return (await import('./read-docx.ts')).readDocx(bytes, path)
  if (extension === '.zip') return readArchive(bytes, path)
  if (extension === '.json') {
    const project = parseProject(bytes)
    if (project === undefined) throw new AppError({ code: 'work/bad-import', path })
    return [{ title: project.details.title, text: `${project.mainText.replace(/\s+$/, '')}\n` }]
  }
  return readText(bytes, path, extension)
}

function readText(bytes: Uint8Array, path: string, extension: string): ImportedChapter[] {
  try {
    const text = readTextFile(bytes, path).doc.toString()
    const isMarkdown = extension === '.md' || extension === '.markdown'
    const notation = notationOf(text)
    // Headings and page breaks of Aozora are read before its notes are taken out.
    return chaptersOf(text, isMarkdown).map((chapter) => ({
      title: chapter.title,
      text: fromSite(chapter.text, notation),
    }))
  } catch (error) {
    if (isAppError(error, 'file/not-text')) throw new AppError({ code: 'work/bad-import', path })
    throw error
  }
}

/** One text is one chapter, or several; its name is the title. */
function readArchive(bytes: Uint8Array, path: string): ImportedChapter[] {
  let sizeBytes = 0
  let count = 0
  let files: Record<string, Uint8Array>
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!/\.(txt|text|md|markdown)$/i.test(name) || /(^|\/)(__MACOSX|\.)/.test(name)) return false
        sizeBytes += originalSize
        count += 1
        if (sizeBytes > limitUnpackedBytes || count > limitFiles) throw new Error('too large')
        return true
      },
    })
  } catch (error) {
    throw new AppError({ code: 'work/bad-import', path }, { cause: error })
  }
  return sortedByPath(Object.entries(files), ([name]) => name).flatMap(([name, content]) => {
    const chapters = readText(content, name, extname(name).toLowerCase())
    const title = name.slice(name.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
    return chapters.map((chapter) => ({ ...chapter, title: chapter.title || title }))
  })
}
