import { basename, dirname, extname, join } from 'node:path'
import type { ExportOptions, ManuscriptText } from '../../shared/domain/work/publishing.ts'
import { AppError } from '../../shared/errors.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import type { Clock, Random } from '../deps.ts'
import { replaceFile, tempFileName } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { Disk } from '../platform/files/disk.ts'
import { failWith, toFileError } from '../platform/files/file-error.ts'
import { comparePaths } from '../platform/files/natural-order.ts'
import { needAbsolute, plainFileName } from '../platform/files/real-path.ts'
import { runModule, ThreadLimitError, type ThreadLimits } from '../platform/node/limited-thread.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import type { Book } from './chapter.ts'
import type { ImportAnswer, ImportWork } from './read-import.ts'

/** Larger files are not imported: they are not manuscripts. */
const limitImportBytes = 100_000_000
const limitTitleChars = 80
/** Limits of the thread that reads a file. Reading ten novels in Word files takes a tenth of the time and memory. */
const readingLimits: ThreadLimits = { ms: 60_000, mb: 1_024 }

/** Exports works and imports texts. Errors: as in the contract. */
export type PublishingService = ReturnType<typeof createPublishing>

export type PublishingDeps = {
  clock: Clock
  random: Random
  disk: Disk
  hostId: string
  works: Pick<WorkService, 'get' | 'rootOf' | 'manuscripts' | 'createFiles'>
  read(target: { root: string; path: string }): Promise<{ text: string }>
  /** Tests pass lower ones. */
  readingLimits?: ThreadLimits
  /** Reads an imported file. Absent: in a thread with limits, which costs tests more than the reading. */
  readImport?: (work: ImportWork) => Promise<ImportAnswer>
}

export function createPublishing(deps: PublishingDeps) {
  const { disk, works } = deps

  async function texts(workId: string, paths?: readonly string[]): Promise<ManuscriptText[]> {
    const root = works.rootOf(workId)
    const wanted = works.manuscripts(workId).filter(({ path }) => paths?.includes(path) ?? true)
    return Promise.all(
      wanted.map(async ({ path }) => ({ path, text: (await deps.read({ root, path })).text })),
    )
  }

  async function write(path: string, bytes: Uint8Array, mayReplace: boolean): Promise<void> {
    const isThere = (await disk.stat(path)) !== undefined
    if (isThere && !mayReplace) throw new AppError({ code: 'file/exists', path })
    const real = isThere
      ? await disk.realPath(path)
      : join(await disk.realPath(dirname(path)), basename(path))
    await replaceFile(disk, real, bytes, {
      tempName: tempFileName(deps.hostId, deps.random),
      // The user agreed to replace only a file that was there when we checked.
      ...(isThere ? {} : { expectedHash: null }),
    })
  }

  /** Errors: `work/bad-import`, `file/too-complex`. */
  async function read(work: ImportWork): Promise<Exclude<ImportAnswer, string | null>> {
    const { path } = work
    const answer = await (deps.readImport ?? readInThread)(work)
    if (answer === null) throw new AppError({ code: 'work/bad-import', path })
    if (answer === 'too-many') throw new AppError({ code: 'file/too-complex', path })
    return answer
  }

  /** Errors: `file/too-complex`. */
  async function readInThread(work: ImportWork): Promise<ImportAnswer> {
    const { moduleUrl } = await import('./read-import.ts')
    const limits = deps.readingLimits ?? readingLimits
    return runModule<ImportAnswer>(moduleUrl, work, limits).catch((error: unknown) => {
      throw error instanceof ThreadLimitError
        ? new AppError({ code: 'file/too-complex', path: work.path })
        : error
    })
  }

  async function bytesOf(book: Book, options: ExportOptions, workId: string): Promise<Uint8Array> {
    const isAlone = options.isPerChapter
    switch (options.format) {
      case 'txt': {
        const { bookText, chapterText } = await import('./write-text.ts')
        const [only] = book.chapters
        return Buffer.from(isAlone && only ? chapterText(only, options) : bookText(book, options))
      }
      case 'md': {
        const { bookMarkdown, chapterMarkdown } = await import('./write-text.ts')
        const [only] = book.chapters
        return Buffer.from(isAlone && only ? chapterMarkdown(only, options, 1) : bookMarkdown(book, options))
      }
      case 'docx':
        return (await import('./write-docx.ts')).docxBytes(book, options)
      case 'epub': {
        const { epubBytes } = await import('./write-epub.ts')
        const id = contentHash(Buffer.from(`${workId}\n${isAlone ? book.title : ''}`))
        return epubBytes(book, options, { id, modifiedAt: deps.clock.now() })
      }
    }
  }

  return {
    texts,
    async exportText(
      workId: string,
      target: string,
      options: ExportOptions,
      mayReplace: boolean,
      paths?: readonly string[],
    ): Promise<{ path: string; count: number }> {
      needAbsolute(target)
      const found = await texts(workId, paths)
      if (found.length === 0) throw new AppError({ code: 'work/empty' })
      const work = works.get(workId)
      const language = languageOfText(found.map(({ text }) => text).join('\n')) ?? 'ja'
      const book: Book = {
        title: (paths?.length === 1 && titleOf(found[0]?.path ?? '')) || work.name,
        author: options.author.trim(),
        language,
        chapters: found.map(({ path, text }) => ({ title: titleOf(path), text })),
      }
      try {
        if (!options.isPerChapter) {
          const ending = `.${options.format}`
          const path = extname(target).toLowerCase() === ending ? target : `${target}${ending}`
          const isPerChapter = paths?.length === 1
          await write(path, await bytesOf(book, { ...options, isPerChapter }, workId), mayReplace)
          return { path, count: 1 }
        }
        if ((await disk.stat(target)) !== undefined && (await disk.list(target)).length > 0)
          throw new AppError({ code: 'file/exists', path: target })
        await disk.makeFolder(target)
        const names = chapterNames(book.chapters.map(({ title }) => title))
        for (const [index, chapter] of book.chapters.entries()) {
          const name = names[index] ?? ''
          const one = { ...book, title: chapter.title || book.title, chapters: [chapter] }
          await write(join(target, `${name}.${options.format}`), await bytesOf(one, options, workId), false)
        }
        return { path: target, count: book.chapters.length }
      } catch (error) {
        throw toFileError(error, target)
      }
    },
    async importText(workId: string, file: string): Promise<string[]> {
      needAbsolute(file)
      const bytes = await disk.read(file, limitImportBytes).catch(failWith(file))
      const chapters = await read({ bytes, path: file })
      const stem = basename(file, extname(file))
      const paths = nextNames(
        works.get(workId).files.map(({ path }) => path),
        chapters.map(({ title }) => title || (chapters.length > 1 ? '' : stem)),
      )
      await works.createFiles(
        workId,
        chapters.map(({ text }, index) => ({ path: paths[index] ?? '', text })),
      )
      return paths
    },
  }
}

/** Returns file names that sort in the order of the chapters: the titles where these do already, else numbered ones. */
function chapterNames(titles: readonly string[]): string[] {
  const names = titles.map(fileName)
  const isInOrder = names.every((name, index) => {
    const before = names[index - 1]
    return before === undefined || comparePaths(before.toLowerCase(), name.toLowerCase()) < 0
  })
  if (isInOrder) return names
  const digits = String(titles.length).length
  return titles.map((title, index) => fileName(`${String(index + 1).padStart(digits, '0')} ${title}`))
}

function titleOf(path: string): string {
  return basename(path, extname(path))
}

function fileName(title: string): string {
  return plainFileName(title, limitTitleChars) || 'text'
}

/** Longer numbers are not exact in JavaScript: adding one would give the same name again. */
const chapterNumber = /^\d{1,15}(?!\d)/

/** The number of a chapter before its title; the 3 of `3日目` and of `3.5章` belongs to the title. */
const ownNumber = /^\d+(?:[._-]*\s[\s._-]*|[._-]+(?!\d)|$)/

/** Returns names with numbers above those of the work's files, so that natural order is the order of the chapters. */
function nextNames(used: readonly string[], titles: readonly string[]): string[] {
  const numbers = used.flatMap((path) => chapterNumber.exec(basename(path))?.[0] ?? []).map(Number)
  const names = new Set(used.map((path) => path.toLowerCase()))
  let number = Math.max(0, ...numbers)
  return titles.map((title) => {
    const own = title.replace(ownNumber, '')
    for (;;) {
      number += 1
      const name = `${fileName(`${String(number).padStart(3, '0')} ${own}`)}.txt`
      if (!names.has(name.toLowerCase())) return name
    }
  })
}
