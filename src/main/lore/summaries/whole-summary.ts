import type { SummaryState, UnreadSummary } from '../../../shared/domain/lore/chapter-summary.ts'
import type { SourceMark } from '../../../shared/domain/lore/summary-source.ts'
import type { WorkService } from '../../workspace/work/work-service.ts'
import {
  isOutdated,
  isOutdatedAmong,
  markSource,
  needReadable,
  type ReadSummary,
  type SummaryFile,
} from './summary-file.ts'

/** The summary of several chapters as its file has it. `isPast`: no chapter that it names is one any more. */
type WholeFile = SummaryFile & { isPast: boolean }

type WholeDeps = {
  works: Pick<WorkService, 'manuscripts'>
  /** Returns the text of a chapter; undefined where it cannot be read. */
  textOf: (workId: string, path: string) => Promise<string | undefined>
  readFile: (workId: string, file: string) => Promise<ReadSummary>
}

/** The files of the summaries. `whole`: the one of several chapters; `fileOf` returns that of one chapter. */
type SummaryFiles = { whole: string; fileOf: (chapter: string) => string }

/** Reads the summary of several chapters of a work, and collects what a new one is made of. */
export function createWholeSummary({ works, textOf, readFile }: WholeDeps) {
  /** Reads the summary. Of the chapters that its file names, it covers those that are chapters now. */
  async function read(workId: string, file: string): Promise<ReadSummary<WholeFile>> {
    const known = await readFile(workId, file)
    if (known === undefined || 'error' in known) return known
    const present = new Set(works.manuscripts(workId).map(({ path }) => path))
    const episodes = known.episodes.filter((path) => present.has(path))
    return { ...known, episodes, isPast: episodes.length === 0 && known.episodes.length > 0 }
  }

  return {
    read,

    /** Returns the state of the summary, and which chapters have changed too much since it was made. */
    async stateOf(
      workId: string,
      known: ReadSummary<WholeFile>,
    ): Promise<{ state: SummaryState; changed: string[] }> {
      if (known !== undefined && 'error' in known) return { state: 'unreadable', changed: [] }
      if (known === undefined || known.text === '') return { state: 'none', changed: [] }
      if (known.marks === undefined) return { state: 'own', changed: [] }
      const changed: string[] = []
      for (const path of known.episodes) {
        const text = await textOf(workId, path)
        if (text !== undefined && isOutdatedAmong(known.marks, path, text)) changed.push(path)
      }
      return { state: changed.length > 0 ? 'outdated' : 'current', changed }
    },

    /**
     * Returns what a new summary is made of: the one there is, and those of `added` chapters. Where these are all that
     * it covers, it is left out, since it tells what they may tell otherwise by now. `marks`: the states of the chapters
     * that are told. Summaries of `added` chapters that cannot be read are not told.
     *
     * Errors: `lore/unread-summary` where the one there is cannot be read.
     */
    async sourceOf(workId: string, { whole, fileOf }: SummaryFiles, added: readonly string[]) {
      const before = needReadable(await read(workId, whole), whole)
      const marks = new Map<string, SourceMark>()
      for (const path of before?.episodes ?? []) {
        const mark = before?.marks?.[path]
        if (mark !== undefined) marks.set(path, mark)
      }
      const texts: string[] = []
      const told = new Set<string>()
      for (const path of added) {
        const summary = await readFile(workId, fileOf(path))
        if (summary === undefined || 'error' in summary || summary.text === '') continue
        texts.push(summary.text)
        told.add(path)
        marks.delete(path)
        const text = summary.mark === null ? await textOf(workId, path) : undefined
        const mark = summary.mark ?? (text === undefined ? undefined : markSource(text))
        if (mark !== undefined) marks.set(path, mark)
      }
      const isRetold = before?.marks !== undefined && before.episodes.every((path) => told.has(path))
      const known = isRetold || before === undefined || before.text === '' ? [] : [before.text]
      return {
        source: [...known, ...texts].join('\n\n'),
        episodes: [...new Set([...(before?.episodes ?? []), ...told])],
        marks: Object.fromEntries(marks),
      }
    },

    /** Reads the summaries of the chapters before `path`. */
    async story(workId: string, { whole, fileOf }: SummaryFiles, path: string): Promise<StorySource> {
      const paths = works.manuscripts(workId).map((file) => file.path)
      const episodes: StorySource['episodes'] = []
      const unread: UnreadSummary[] = []
      const before = paths.slice(0, Math.max(0, paths.indexOf(path)))
      // All at once, so that a disk that does not answer is waited for only once.
      const [reads, together] = await Promise.all([
        Promise.all(before.map((chapter) => readFile(workId, fileOf(chapter)))),
        read(workId, whole),
      ])
      for (const [at, chapter] of before.entries()) {
        const [file, read] = [fileOf(chapter), reads[at]]
        if (read === undefined) continue
        if ('error' in read) unread.push({ path: chapter, file, error: read.error })
        else if (read.text !== '') {
          const { text, mark } = read
          const isOld = (now: string) => mark !== null && isOutdated(mark, now)
          episodes.push({ path: chapter, file, text, isOutdated: isOld })
        }
      }
      if (together !== undefined && 'error' in together)
        unread.push({ path: null, file: whole, error: together.error })
      if (together === undefined || 'error' in together || together.text === '' || together.isPast)
        return { episodes, whole: null, unread }
      const { text, marks, episodes: covered } = together
      const isOld = (of: string, now: string) => isOutdatedAmong(marks, of, now)
      return { episodes, whole: { file: whole, text, episodes: covered, isOutdated: isOld }, unread }
    },
  }
}

/** Summaries for prompts, by chapter; `whole` covers several. */
export type StorySource = {
  /** The oldest first. */
  episodes: {
    path: string
    file: string
    text: string
    /** Returns whether the chapter's present text differs too much; never where the author wrote the summary. */
    isOutdated: (chapter: string) => boolean
  }[]
  whole: {
    file: string
    text: string
    episodes: readonly string[]
    /** Returns whether this present text of one of the chapters differs too much, as above. */
    isOutdated: (path: string, chapter: string) => boolean
  } | null
  /** Summaries whose files cannot be read. */
  unread: UnreadSummary[]
}
