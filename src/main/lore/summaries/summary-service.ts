import type { Text } from '@codemirror/state'
import {
  type ChapterSummary,
  type SummaryEvent,
  SummaryOffer,
  type SummaryPlace,
  type SummaryState,
  type SummaryTarget,
  type WorkSummaries,
} from '../../../shared/domain/lore/chapter-summary.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { readManuscript } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import type { Clock, Random } from '../../deps.ts'
import type { DocumentService } from '../../documents/document-service.ts'
import type { Priority } from '../../models/client/model-client.ts'
import { inTime } from '../../platform/files/read-regular-file.ts'
import type { WorkRepository } from '../../store/work-repository.ts'
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
import { createSummaryOffers, renamedMarks, wholeKey } from './summary-offers.ts'
import { createWholeSummary, type StorySource } from './whole-summary.ts'

/** Units: tokens. */
const mostAnswerTokens = 900

/** Result of a summary. `empty`: the model wrote nothing; `preempted`: a request of the user stopped the summary. */
export type SummaryEnd = 'made' | 'empty' | 'preempted'

/** Summaries of a work's chapters: made by a model, reviewed by the author, kept as files of the work. */
export type SummaryService = ReturnType<typeof createSummaryService>

type SummaryDeps = {
  clock: Clock
  random: Random
  works: Pick<WorkService, 'rootOf' | 'get' | 'manuscripts' | 'createFile' | 'renameFile'>
  documents: Pick<DocumentService, 'read' | 'edit'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
  activeModel: ModelForLore
  isWriting: (workId: string) => boolean
  windowLanguage: () => 'ja' | 'en'
  words: () => Promise<Record<'ja' | 'en', MemoryWords>>
  /** How long the file system may take to answer. Tests shorten it. */
  stallMs?: number
}

export function createSummaryService(deps: SummaryDeps) {
  const { clock, random, works, documents, state } = deps

  const { offersOf, setOffer, moveOffers } = createSummaryOffers(state)

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

  async function placeOf(workId: string, place: SummaryPlace) {
    const { whole, fileOf } = await folderOf(workId)
    return place.kind === 'whole'
      ? { key: wholeKey, file: whole }
      : { key: place.path, file: fileOf(place.path) }
  }

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
    const first = target.kind === 'whole' ? words.whole : words.chapter
    // The summary so far and the answer follow the words.
    const asking = { source: told, words: words.next, mostAnswerTokens, answers: 2 }
    const { chars, answerTokens } = await pieceSize(model, asking, signal)
    const pieces = pieceText(told, chars)
    let summary = ''
    let isCut = false
    for (const [piece, text] of pieces.entries()) {
      yield { type: 'piece', target: index, targets, piece, pieces: pieces.length }
      const asked = fillWords(piece === 0 ? first : words.next, { text, summary })
      let answer = ''
      const question = {
        text: asked,
        maxTokens: answerTokens,
        seed: Math.floor(random.next() * 2 ** 31),
        conversation: `summary ${workId}`,
        priority,
      }
      for await (const event of askModel(model, question, signal)) {
        if (event.type === 'preempted') return 'preempted'
        if (event.type === 'cut') {
          isCut = true
          continue
        }
        answer = event.type === 'text' ? answer + event.text : event.text
        if (event.type === 'text') yield { type: 'text', text: event.text }
      }
      summary = plainAnswer(answer) || summary
    }
    if (summary === '') {
      yield { type: 'empty', target: index }
      return 'empty'
    }
    const nowAt = (path: string) => nameAfter(known, workId, path)
    setOffer(workId, target.kind === 'whole' ? wholeKey : nowAt(target.path), {
      text: summary,
      modelName: model.modelName,
      createdAt: clock.now(),
      isCut,
      mark: target.kind === 'whole' ? null : markSource(source),
      episodes: episodes.map(nowAt),
      marks: renamedMarks(marks, nowAt),
    })
    yield { type: 'made', target: index }
    return 'made'
  }

  return {
    async list(workId: string): Promise<WorkSummaries> {
      const { whole, fileOf } = await folderOf(workId)
      const offers = offersOf(workId)
      const listed = async ({ path }: { path: string }): Promise<ChapterSummary> => {
        const file = fileOf(path)
        const read = await readFile(workId, file)
        const offer = offers[path]
        return {
          path,
          file,
          state: await stateOf(workId, path, read),
          error: errorOf(read),
          text: read !== undefined && 'text' in read ? read.text : '',
          offer: offer === undefined ? null : SummaryOffer.parse(offer),
        }
      }
      // All at once, so that a disk that does not answer is waited for only once.
      const [episodes, read] = await Promise.all([
        Promise.all(works.manuscripts(workId).map(listed)),
        together.read(workId, whole),
      ])
      const known = offers[wholeKey]
      const offer = known === undefined ? null : { ...SummaryOffer.parse(known), episodes: known.episodes }
      const { text = '', episodes: covered = [] } = read !== undefined && 'text' in read ? read : {}
      const state = await together.stateOf(workId, read)
      const error = errorOf(read)
      return { episodes, whole: { file: whole, episodes: covered, text, offer, error, ...state } }
    },

    /**
     * Writes summaries one after another. Each becomes an offer; those that are made stay when the rest is stopped.
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
     * Writes the offer as the author changed it.
     *
     * Errors: `file/changed` where the file has another text by now; `lore/unread-summary` where it cannot be read.
     */
    async accept(workId: string, place: SummaryPlace, text: string, replaces: string): Promise<void> {
      const { key, file } = await placeOf(workId, place)
      const offer = offersOf(workId)[key]
      if (offer === undefined) throw new AppError({ code: 'file/changed', path: file })
      const { mark, episodes, marks } = offer
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
        await documents.edit({ root: works.rootOf(workId), path: file }, edit, 'transfer')
      }
      setOffer(workId, key, undefined)
    },

    /** Moves the summary of a renamed file, and what is offered for it, to the new name. */
    async renamed(workId: string, from: string, to: string): Promise<void> {
      renames.push({ workId, from, to })
      moveOffers(workId, from, to)
      if (!works.get(workId).files.some(isSummaryFile)) return
      if (works.manuscripts(workId).some(({ path }) => path === to)) await moveFiles(workId, from, to)
      await renameCovered(workId, from, to)
    },

    discard(workId: string, place: SummaryPlace): void {
      // A work that is not open has no offers.
      works.get(workId)
      setOffer(workId, place.kind === 'whole' ? wholeKey : place.path, undefined)
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
