import type { UnreadSummary } from '../../../shared/domain/lore/episode-summary.ts'
import type { WorkService } from '../../workspace/work/work-service.ts'
import { isOutdated, isOutdatedAmong, type ReadSummary } from './summary-file.ts'
import type { SummaryFiles, WholeFile } from './whole-summary.ts'

/** Summaries for prompts, by episode; `whole` covers several. */
export type StorySource = {
  /** The oldest first. */
  episodes: {
    path: string
    file: string
    text: string
    /** Returns whether the episode's present text differs too much; never where the author wrote the summary. */
    isOutdated: (episode: string) => boolean
  }[]
  whole: {
    file: string
    text: string
    episodes: readonly string[]
    /** Returns whether this present text of one of the episodes differs too much, as above. */
    isOutdated: (path: string, episode: string) => boolean
  } | null
  /** Summaries whose files cannot be read. */
  unread: UnreadSummary[]
}

type StoryDeps = {
  works: Pick<WorkService, 'manuscripts'>
  /** Reads the summary of an episode; undefined where there is none. */
  readFile: (workId: string, file: string) => Promise<ReadSummary>
  /** Reads the summary of several. */
  readWhole: (workId: string, file: string) => Promise<ReadSummary<WholeFile>>
}

/** Reads the summaries of the episodes before `path`. */
export async function readStory(
  { works, readFile, readWhole }: StoryDeps,
  { whole, fileOf }: SummaryFiles,
  workId: string,
  path: string,
): Promise<StorySource> {
  const paths = works.manuscripts(workId).map((file) => file.path)
  const episodes: StorySource['episodes'] = []
  const unread: UnreadSummary[] = []
  const before = paths.slice(0, Math.max(0, paths.indexOf(path)))
  // All at once, so that a disk that does not answer is waited for only once.
  const [reads, together] = await Promise.all([
    Promise.all(before.map((episode) => readFile(workId, fileOf(episode)))),
    readWhole(workId, whole),
  ])
  for (const [at, episode] of before.entries()) {
    const [file, read] = [fileOf(episode), reads[at]]
    if (read === undefined) continue
    if ('error' in read) unread.push({ path: episode, file, error: read.error })
    else if (read.text !== '') {
      const { text, mark } = read
      const isOld = (now: string) => mark !== null && isOutdated(mark, now)
      episodes.push({ path: episode, file, text, isOutdated: isOld })
    }
  }
  if (together !== undefined && 'error' in together)
    unread.push({ path: null, file: whole, error: together.error })
  if (together === undefined || 'error' in together || together.text === '' || together.isPast)
    return { episodes, whole: null, unread }
  const { text, marks } = together
  const isOld = (of: string, now: string) => isOutdatedAmong(marks, of, now)
  return { episodes, whole: { file: whole, text, episodes: together.episodes, isOutdated: isOld }, unread }
}
