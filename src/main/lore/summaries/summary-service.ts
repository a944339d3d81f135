import type { Text } from '@codemirror/state'
import type { TakeEnd } from '../../../shared/domain/drafting/take.ts'
import type {
  ChapterSummary,
  SummaryEvent,
  SummaryState,
  SummaryTarget,
  WorkSummaries,
} from '../../../shared/domain/lore/chapter-summary.ts'
import { wholePath } from '../../../shared/domain/lore/summary-source.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { readManuscript } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import type { Clock, Random } from '../../deps.ts'
import type { DocumentService } from '../../documents/document-service.ts'
import type { TakeService } from '../../drafting/takes/take-service.ts'
import type { Priority } from '../../models/client/model-client.ts'
import { inTime } from '../../platform/files/read-regular-file.ts'
import type { WorkRepository } from '../../store/works/work-repository.ts'
import type { WorkService } from '../../workspace/work/work-service.ts'
import { askModel, fillWords, type MemoryWords, type ModelForLore } from '../ask-model.ts'
import { isSummaryFile, orFailure, undefinedIfUnread } from '../material-files.ts'
import { pieceSize, pieceText } from '../piece-text.ts'
import {
  isOutdated,
  markSource,
  needReadable,
  type ReadSummary,
  readSummary,
  renamedChapter,
  summaryFolderOf,
  summaryPaths,
  writeSummary,
} from './summary-file.ts'
import { createSummaryTakes, offerOf, renamedSource } from './summary-takes.ts'
import { createWholeSummary, type StorySource } from './whole-summary.ts'

/** Units: tokens. */
const mostAnswerTokens = 900

/** Result of a summary. `empty`: the model wrote nothing; `preempted`: a request of the user stopped it. */
export type SummaryEnd = 'made' | 'empty' | 'preempted'

/** Summaries of a work's chapters: made by a model, reviewed by the author, kept as files of the work. */
export type SummaryService = ReturnType<typeof createSummaryService>

type SummaryDeps = {
  clock: Clock
  random: Random
  works: Pick<WorkService, 'rootOf' | 'get' | 'manuscripts' | 'createFile' | 'renameFile'>
  documents: Pick<DocumentService, 'read' | 'edit'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
  takes: Pick<TakeService, 'add' | 'get' | 'list' | 'update' | 'summaries'>
  activeModel: ModelForLore
  isWriting: (workId: string) => boolean
  windowLanguage: () => 'ja' | 'en'
  words: () => Promise<Record<'ja' | 'en', MemoryWords>>
  /** How long the file system may take to answer. Tests shorten it. */
  stallMs?: number
}

export function createSummaryService(deps: SummaryDeps) {
  const { random, works, documents } = deps
  const takes = createSummaryTakes(deps)

  /** Renames since the start of the host: a chapter may get another name while its summary is being made. */
  const renames: { workId: string; from: string; to: string }[] = []
  /** Returns the present name of a file that had this one after `known` renames. */
  const nameAfter = (known: number, workId: string, path: string): string =>
    renames
      .slice(known)
      .reduce((name, { workId: of, from, to }) => (of === workId && name === from ? to : name), path)

  async function textOf(workId: string, path: string): Promise<string> {
    const reading = documents.read({ root: works.rootOf(workId), path })
    return (await inTime(reading, path, deps.stallMs)).text
  }

  async function firstText(workId: string): Promise<string> {
    for (const { path } of works.manuscripts(workId)) {
      const text = await textOf(workId, path).catch(undefinedIfUnread)
      if (text !== undefined) return text
    }
    return ''
  }

  async function folderOf(workId: string) {
    const { files } = works.get(workId)
    const text = files.some(isSummaryFile) ? '' : await firstText(workId)
    const found = summaryFolderOf(files, text)
    return { ...found, fileOf: summaryPaths(found, files) }
  }

  async function readFile(workId: string, file: string): Promise<ReadSummary> {
    if (!works.get(workId).files.some(({ path }) => path === file)) return undefined
    const read = await orFailure(file, textOf(workId, file))
    if (typeof read === 'string') return readSummary(read)
    // The list of files may be older than the removal of one.
    return read.error.code === 'file/not-found' ? undefined : read
  }

  const together = createWholeSummary({
    works,
    textOf: (workId, path) => textOf(workId, path).catch(undefinedIfUnread),
    readFile,
  })

  /**
   * Returns what a summary is made of; `episodes` and `marks`: of those that one of several covers then.
   *
   * Errors: `lore/unread-summary` where the file of the present summary cannot be read; `file/…`.
   */
  async function sourceOf(workId: string, target: SummaryTarget) {
    if (target.kind === 'whole') return together.sourceOf(workId, await folderOf(workId), target.episodes)
    const file = (await folderOf(workId)).fileOf(target.path)
    needReadable(await readFile(workId, file), file)
    return { source: await textOf(workId, target.path), episodes: [], marks: {} }
  }

  async function* summarise(
    workId: string,
    target: SummaryTarget,
    index: number,
    targets: number,
    signal: AbortSignal,
    priority: Priority = 'foreground',
  ): AsyncGenerator<SummaryEvent, SummaryEnd, void> {
    const known = renames.length
    const model = await deps.activeModel(signal, 'main', priority)
    let made: Awaited<ReturnType<typeof sourceOf>>
    try {
      made = await sourceOf(workId, target)
    } catch (error) {
      if (!isAppError(error)) throw error
      // The other targets are not to wait for this one.
      yield { type: 'skipped', target: index, error: error.info }
      return 'empty'
    }
    const { source, episodes, marks } = made
    // Comments and what the author keeps out by commands never reach a model.
    const told = target.kind === 'episode' ? readManuscript(source).text : source
    if (told.trim() === '') {
      yield { type: 'skipped', target: index, error: null }
      return 'empty'
    }
    const language = languageOfText(told) ?? deps.windowLanguage()
    const words = (await deps.words())[language].summary
    // The summary so far and the answer follow the words.
    const asking = { source: told, words: words.piece, mostAnswerTokens, answers: 2 }
    const { chars, answerTokens } = await pieceSize(model, asking, signal)
    const pieces = pieceText(told, chars)
    // All pieces begin with the same words, which the model reads once.
    const alone = target.kind === 'whole' ? words.whole : words.chapter
    const asked = pieces.length === 1 ? alone : words.piece
    const nowAt = (path: string) => nameAfter(known, workId, path)
    const mark = target.kind === 'whole' ? null : markSource(source)
    let summary = ''
    let answer = ''
    let isCut = false
    let placeId: string | undefined
    for (const [piece, text] of pieces.entries()) {
      yield { type: 'piece', target: index, targets, piece, pieces: pieces.length }
      const question = {
        text: fillWords(asked, { text, summary: summary || words.none }),
        maxTokens: answerTokens,
        seed: Math.floor(random.next() * 2 ** 31),
        conversation: `summary ${workId}`,
        priority,
      }
      const made = { piece, pieces: pieces.length, isCut, mark, episodes, marks }
      const path = target.kind === 'whole' ? wholePath : target.path
      const now = () => ({ path: nowAt(path), source: renamedSource(made, nowAt) })
      const take = takes.begin({ workId, model, question, placeId, now })
      answer = ''
      let stopReason: TakeEnd | null = null
      try {
        for await (const event of askModel(model, question, signal)) {
          if (event.type === 'usage') take.counted(event.usage)
          else if (event.type === 'cut') stopReason = 'length'
          else if (event.type === 'preempted') {
            stopReason = 'aborted'
            return 'preempted'
          } else {
            answer = event.type === 'text' ? answer + event.text : event.text
            take.write(plainAnswer(answer))
            if (event.type === 'text') yield { type: 'text', text: event.text }
          }
        }
        stopReason ??= 'stop'
      } finally {
        take.end(plainAnswer(answer), signal.aborted ? 'aborted' : stopReason)
      }
      isCut ||= stopReason === 'length'
      placeId ??= take.takeId
      summary = plainAnswer(answer) || summary
    }
    // Without a text for the last piece, the summary lacks the end of the chapter.
    if (plainAnswer(answer) === '') {
      yield { type: 'empty', target: index }
      return 'empty'
    }
    yield { type: 'made', target: index }
    return 'made'
  }

  return {
    async list(workId: string): Promise<WorkSummaries> {
      const { whole, fileOf } = await folderOf(workId)
      const { offers, counts } = takes.list(workId)
      const offered = (path: string) => {
        const take = offers.get(path)
        return { offer: take === undefined ? null : offerOf(take), takes: counts.get(path) ?? 0 }
      }
      const listed = async ({ path }: { path: string }): Promise<ChapterSummary> => {
        const file = fileOf(path)
        const read = await readFile(workId, file)
        return {
          path,
          file,
          state: await stateOf(workId, path, read),
          error: errorOf(read),
          text: read !== undefined && 'text' in read ? read.text : '',
          ...offered(path),
        }
      }
      // All at once, so that a disk that does not answer is waited for only once.
      const [episodes, read] = await Promise.all([
        Promise.all(works.manuscripts(workId).map(listed)),
        together.read(workId, whole),
      ])
      const { text = '', episodes: covered = [] } = read !== undefined && 'text' in read ? read : {}
      const state = await together.stateOf(workId, read)
      const error = errorOf(read)
      const shown = { file: whole, episodes: covered, text, error, ...state, ...offered(wholePath) }
      return { episodes, whole: shown }
    },

    /**
     * Writes summaries one after another. Each is a take that is offered; what was written stays when it is stopped.
     * Chapters that cannot be read, or whose present summaries cannot, are skipped.
     *
     * Errors: `run/busy` while a run of this work writes; `model/…`.
     */
    async *make(workId: string, targets: readonly SummaryTarget[], signal: AbortSignal) {
      if (deps.isWriting(workId)) throw new AppError({ code: 'run/busy' })
      for (const [index, target] of targets.entries())
        yield* summarise(workId, target, index, targets.length, signal)
    },

    /**
     * Writes the summary of a chapter as an offer, unless a request of the user needs the model.
     *
     * Errors: `model/…`.
     */
    async makeInBackground(workId: string, path: string, signal: AbortSignal): Promise<SummaryEnd> {
      const steps = summarise(workId, { kind: 'episode', path }, 0, 1, signal, 'background')
      for (;;) {
        const step = await steps.next()
        if (step.done) return step.value
      }
    },

    /**
     * Writes the offer as the author changed it. What the file has goes into its local history first.
     *
     * Errors: `file/changed` where the file has another text by now, or the offer was decided; `take/not-found`;
     * `lore/unread-summary` where the file cannot be read.
     */
    async accept(workId: string, takeId: string, text: string, replaces: string): Promise<void> {
      const take = takes.get(workId, takeId)
      const { whole, fileOf } = await folderOf(workId)
      const file = take.path === wholePath ? whole : fileOf(take.path)
      if (!takes.isOffered(take)) throw new AppError({ code: 'file/changed', path: file })
      const { mark = null, episodes = [], marks = {} } = take.summary ?? {}
      const made = mark === null ? { episodes, marks } : { mark }
      const known = needReadable(await readFile(workId, file), file)
      const check = (present: string) => {
        if (present !== replaces) throw new AppError({ code: 'file/changed', path: file })
      }
      check(known?.text ?? '')
      if (known === undefined) await works.createFile(workId, file, writeSummary(text, made), 'material')
      else {
        const edit = (doc: Text) => {
          const before = doc.toString()
          check(readSummary(before).text)
          return { from: 0, to: doc.length, insert: writeSummary(text, made, before) }
        }
        await documents.edit({ root: works.rootOf(workId), path: file }, edit, 'replace')
      }
      takes.accepted(take, text)
    },
    edit: takes.edit,
    discard: takes.discard,
    offer: takes.offer,

    /** Moves the summary of a renamed file to the new name, also where summaries of several tell it. */
    async renamed(workId: string, from: string, to: string): Promise<void> {
      renames.push({ workId, from, to })
      takes.renamed(workId, from, to)
      if (!works.get(workId).files.some(isSummaryFile)) return
      if (works.manuscripts(workId).some(({ path }) => path === to)) await moveFiles(workId, from, to)
      await renameCovered(workId, from, to)
    },

    /** Returns the summaries of the chapters before `path`. */
    story: async (workId: string, path: string): Promise<StorySource> =>
      works.get(workId).files.some(isSummaryFile)
        ? together.story(workId, await folderOf(workId), path)
        : { episodes: [], whole: null, unread: [] },
  }

  /**
   * Moves the summary of a renamed chapter to its place; before that, those of chapters whose names differ from the
   * new one only in the ending, where they have to give way.
   */
  async function moveFiles(workId: string, from: string, to: string): Promise<void> {
    const { files } = works.get(workId)
    const { fileOf, ...place } = await folderOf(workId)
    const before = files.map((file) => (file.path === to ? { ...file, path: from } : file))
    const formerOf = summaryPaths(place, before)
    const isThere = (file: string) => works.get(workId).files.some(({ path }) => path === file)
    const others = works.manuscripts(workId).filter(({ path }) => path !== to)
    const moves = others.map(({ path }) => ({ file: formerOf(path), next: fileOf(path) }))
    for (const { file, next } of [...moves, { file: formerOf(from), next: fileOf(to) }])
      if (file !== next && isThere(file) && !isThere(next)) await works.renameFile(workId, file, next)
  }

  /** Names a renamed chapter anew among those that the summary of several covers. */
  async function renameCovered(workId: string, from: string, to: string): Promise<void> {
    const { whole } = await folderOf(workId)
    const read = await readFile(workId, whole)
    if (read === undefined || 'error' in read || !read.episodes.includes(from)) return
    const target = { root: works.rootOf(workId), path: whole }
    await documents.edit(target, (doc) => renamedChapter(doc.toString(), from, to) ?? [], 'transfer')
  }

  async function stateOf(workId: string, path: string, read: ReadSummary): Promise<SummaryState> {
    if (read !== undefined && 'error' in read) return 'unreadable'
    if (read === undefined || read.text === '') return 'none'
    if (read.mark === null) return 'own'
    // Of a chapter that cannot be read no change is known.
    const text = await textOf(workId, path).catch(undefinedIfUnread)
    return text !== undefined && isOutdated(read.mark, text) ? 'outdated' : 'current'
  }
}

function errorOf(read: ReadSummary): ErrorInfo | null {
  return read !== undefined && 'error' in read ? read.error : null
}

/** Removes the fence that some models put around an answer. */
function plainAnswer(answer: string): string {
  return answer
    .replace(/^\s*```[^\n]*\n/, '')
    .replace(/\n?```\s*$/, '')
    .trim()
}
