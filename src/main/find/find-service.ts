import type { ChangeSpec, Text } from '@codemirror/state'
import type {
  ChosenReplacement,
  FindChapter,
  FindQuery,
  FindResult,
  Quotations,
  ReplaceResult,
} from '../../shared/domain/work/find.ts'
import type { Work } from '../../shared/domain/work/work.ts'
import { AppError, type ErrorInfo, isAppError } from '../../shared/errors.ts'
import { mergedText, openChanges, threeWayChunks } from '../../shared/text/difference/three-way.ts'
import { aroundPlaces } from '../../shared/text/places/around-place.ts'
import { findLiteral } from '../../shared/text/places/find-literal.ts'
import type { Random } from '../deps.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { smallChange } from '../documents/text-difference.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { findPattern, limitInserted } from '../platform/files/find-pattern.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { type IndexedFile, indexFile } from './index-file.ts'
import { type IndexedWork, indexWork, rankQuotations } from './rank-quotations.ts'

/** Maximum number of hits of a search; a later search finds the rest. */
const limitHits = 20_000
/** Context that is shown on each side of a hit. Units: UTF-16. */
const contextChars = 40
const limitUndos = 20
const limitQuotations = 20

/**
 * Finds and replaces in all manuscripts of a work, and searches all its texts for places that answer a question.
 * Errors: as in the contract.
 */
export type FindService = ReturnType<typeof createFindService>

type Done = { workId: string; files: { path: string; before: string; after: string }[] }

export function createFindService(deps: {
  random: Random
  works: Pick<WorkService, 'rootOf' | 'manuscripts'> & { get(workId: string): Pick<Work, 'files'> }
  documents: Pick<DocumentService, 'read' | 'edit'>
}) {
  const { works, documents } = deps
  /** The last replacements, the oldest first; earlier ones are in the local history of each file. */
  const done = new Map<string, Done>()
  /** Index of the work that was asked last: its files as they were read, by path. */
  let asked: {
    root: string
    files: Map<string, { hash: string; indexed: IndexedFile }>
    work: IndexedWork
  } | null = null

  /** Returns the text of one of several files; null where it cannot be read: the others are read all the same. */
  async function readOrNull(target: { root: string; path: string }): Promise<string | null> {
    try {
      return (await documents.read(target)).text
    } catch (error) {
      if (!isAppError(error)) throw error
      return null
    }
  }

  /** Edits one of several files. Returns why it could not be: the others are edited all the same. */
  async function edit(
    target: { root: string; path: string },
    specs: (doc: Text) => ChangeSpec,
  ): Promise<ErrorInfo | undefined> {
    try {
      await documents.edit(target, specs, 'replace')
      return undefined
    } catch (error) {
      if (!isAppError(error)) throw error
      return error.info
    }
  }

  return {
    async find(workId: string, query: FindQuery, replacement: string): Promise<FindResult> {
      const root = works.rootOf(workId)
      const paths: string[] = []
      const texts: string[] = []
      const unread: string[] = []
      for (const { path } of works.manuscripts(workId)) {
        const text = await readOrNull({ root, path })
        if (text === null) unread.push(path)
        else {
          paths.push(path)
          texts.push(text)
        }
      }
      const hits = query.isRegex
        ? await findPattern(
            texts,
            { source: query.text, isCaseSensitive: query.isCaseSensitive, replacement },
            limitHits,
          )
        : await literals(texts, query, replacement)
      const chapters: FindChapter[] = paths.flatMap((path, index) => {
        const text = texts[index] ?? ''
        const own = hits[index] ?? []
        return own.length === 0
          ? []
          : { path, hash: hashOf(text), hits: aroundPlaces(text, own, contextChars) }
      })
      const total = chapters.reduce((sum, chapter) => sum + chapter.hits.length, 0)
      const inserted = hits.flat().reduce((sum, { insert }) => sum + insert.length, 0)
      return { chapters, total, isTruncated: total >= limitHits || inserted >= limitInserted, unread }
    },

    async ask(workId: string, question: string): Promise<Quotations> {
      const root = works.rootOf(workId)
      const known = asked?.root === root ? asked.files : undefined
      const files: NonNullable<typeof asked>['files'] = new Map()
      const unread: string[] = []
      for (const { path, kind } of works.get(workId).files) {
        if (kind !== 'manuscript' && kind !== 'material') continue
        const text = await readOrNull({ root, path })
        if (text === null) {
          unread.push(path)
          continue
        }
        const hash = hashOf(text)
        const before = known?.get(path)
        files.set(path, before?.hash === hash ? before : { hash, indexed: await indexFile(path, text) })
      }
      const indexed = [...files.values()].map((file) => file.indexed)
      const last = asked?.work
      const isSame =
        last?.files.length === indexed.length && indexed.every((file, index) => file === last.files[index])
      const work = last !== undefined && isSame ? last : await indexWork(indexed)
      asked = { root, files, work }
      return { quotations: rankQuotations(work, question, limitQuotations), unread }
    },

    async replace(workId: string, chosen: readonly ChosenReplacement[]): Promise<ReplaceResult> {
      const root = works.rootOf(workId)
      const replaceId = deps.random.id()
      const files: Done['files'] = []
      const changed: string[] = []
      const failed: ErrorInfo[] = []
      let count = 0
      for (const { path, hash, edits } of chosen) {
        if (edits.length === 0) continue
        let change: { before: string; after: string } | undefined
        const error = await edit({ root, path }, (doc) => {
          const before = doc.toString()
          if (hashOf(before) !== hash || (edits.at(-1)?.to ?? 0) > before.length) return []
          change = { before, after: applied(before, edits) }
          return edits
        })
        if (error !== undefined) failed.push(error)
        else if (change === undefined) changed.push(path)
        else {
          files.push({ path, ...change })
          count += edits.length
        }
      }
      const [error] = failed
      if (error !== undefined && files.length === 0) throw new AppError(error)
      done.set(replaceId, { workId, files })
      const [oldest] = done.keys()
      if (done.size > limitUndos && oldest !== undefined) done.delete(oldest)
      return { replaceId, count, files: files.length, changed, failed }
    },

    async undo(workId: string, replaceId: string) {
      const root = works.rootOf(workId)
      const replaced = done.get(replaceId)
      if (replaced?.workId !== workId) throw new AppError({ code: 'find/no-undo' })
      done.delete(replaceId)
      const changed: string[] = []
      const failed: ErrorInfo[] = []
      for (const { path, before, after } of replaced.files) {
        let isMerged = true
        const error = await edit({ root, path }, (doc) => {
          const now = doc.toString()
          const chunks = threeWayChunks(after, before, now)
          const text =
            now === after
              ? before
              : openChanges(chunks, new Map()).length > 0
                ? null
                : mergedText(chunks, new Map())
          isMerged = text !== null
          return text === null || text === now ? [] : smallChange(0, now, text)
        })
        if (error !== undefined) failed.push(error)
        else if (!isMerged) changed.push(path)
      }
      return { files: replaced.files.length - changed.length - failed.length, changed, failed }
    },
  }
}

type Hit = { from: number; to: number; insert: string }

/** Finds literal hits in one text after the other, so that the host can serve other requests meanwhile. */
async function literals(texts: readonly string[], query: FindQuery, replacement: string): Promise<Hit[][]> {
  const found: Hit[][] = []
  let room = Math.min(limitHits, Math.ceil(limitInserted / Math.max(1, replacement.length)))
  for (const text of texts) {
    const spans = findLiteral(text, query.text, query, room)
    room -= spans.length
    found.push(spans.map((span) => ({ ...span, insert: replacement })))
    await new Promise((next) => setImmediate(next))
  }
  return found
}

function applied(text: string, edits: readonly Hit[]): string {
  let result = ''
  let at = 0
  for (const { from, to, insert } of edits) {
    result += text.slice(at, from) + insert
    at = to
  }
  return result + text.slice(at)
}

function hashOf(text: string): string {
  return contentHash(Buffer.from(text))
}
