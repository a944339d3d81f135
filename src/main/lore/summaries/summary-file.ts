import { extname, join } from 'node:path/posix'
import { Document, isMap, parseDocument } from 'yaml'
import { z } from 'zod'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import { splitSentences } from '../../../shared/text/sentences.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { trimWhiteSpace } from '../../../shared/text/white-space.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { fencedBlock, limitYamlChars, splitFrontMatter } from '../front-matter.ts'
import { isSummaryFile, materialFolderOf, summaryFolder } from '../material-files.ts'

/** Number of sampled sentences of an episode: enough to detect a change of a tenth. */
const sampleSize = 96
/** Hexadecimal digits of a sampled sentence's hash. */
const sampleDigits = 6
const outdatedShare = 0.1

/** Where summaries are kept: their folder, and in `whole` the file of the summary of several episodes. */
export type SummaryFolder = { folder: string; whole: string }

/** Returns where a work's summaries are kept: beside its materials, in the language of its text. */
export function summaryFolderOf(files: readonly WorkFile[], text: string): SummaryFolder {
  const known = files.find(isSummaryFile)?.path ?? ''
  const match = summaryFolder.exec(known)
  const folder = match === null ? undefined : known.slice(0, match.index + match[0].length - 1)
  const isJapanese =
    folder === undefined ? languageOfText(text) !== 'en' : /あらすじ$/.test(folder.normalize('NFC'))
  const made = folder ?? join(materialFolderOf(files, text), isJapanese ? 'あらすじ' : 'Summaries')
  return { folder: made, whole: join(made, isJapanese ? '全体.md' : 'Whole.md') }
}

/**
 * Returns where the summary of each episode of a work is kept: under the episode's name without its ending. Where
 * episodes differ only in their endings, one of them has this name, and the others their whole names.
 */
export function summaryPaths(
  { folder, whole }: SummaryFolder,
  files: readonly Pick<WorkFile, 'path' | 'kind'>[],
): (episode: string) => string {
  const present = new Set(files.map(({ path }) => path))
  const named = (name: string) => `${join(folder, name)}.md`
  const owners = new Map<string, string>()
  for (const { path, kind } of files) {
    // A summary under the whole name stays the episode's own, also where the other episodes are gone.
    if (kind !== 'manuscript' || present.has(named(path))) continue
    const owner = owners.get(stemOf(path))
    if (owner === undefined || rankOf(path) < rankOf(owner)) owners.set(stemOf(path), path)
  }
  return (episode) => {
    const plain = named(stemOf(episode))
    const isOwner = (owners.get(stemOf(episode)) ?? episode) === episode
    return isOwner && plain !== whole && !present.has(named(episode)) ? plain : named(episode)
  }
}

function stemOf(path: string): string {
  return path.slice(0, path.length - extname(path).length)
}

/** File endings of texts. Of episodes that differ only in the ending, the one that is first here has the plain name. */
const endings = ['.txt', '.text', '.md', '.markdown']

function rankOf(path: string): number {
  const rank = endings.indexOf(extname(path).toLowerCase())
  return rank < 0 ? endings.length : rank
}

/** State of an episode when it was summarised: its hash, and a sample by which a change can be measured. */
export type SourceMark = { hash: string; sample: string }

export function markSource(text: string): SourceMark {
  const hashes = [...sentencesOf(text)].map((sentence) => contentHash(sentence).slice(0, sampleDigits))
  const sample = [...new Set(hashes)].sort().slice(0, sampleSize).join('')
  return { hash: contentHash(text).slice(0, 16), sample }
}

/** Returns whether more than a tenth of an episode has changed since. */
export function isOutdated(mark: SourceMark, text: string): boolean {
  if (contentHash(text).slice(0, 16) === mark.hash) return false
  const before = new Set(samplesOf(mark.sample))
  const now = new Set(samplesOf(markSource(text).sample))
  // Compares only up to the last hash that both samples reach: a later hash may just not have been sampled.
  const reach =
    [before, now].map((set) => (set.size < sampleSize ? 'g' : ([...set].at(-1) ?? ''))).sort()[0] ?? 'g'
  const within = (set: Set<string>) => [...set].filter((hash) => hash <= reach)
  const kept = within(before).filter((hash) => now.has(hash)).length
  const most = Math.max(within(before).length, within(now).length)
  return most === 0 || 1 - kept / most > outdatedShare
}

function samplesOf(sample: string): string[] {
  return sample.match(new RegExp(`[0-9a-f]{${sampleDigits}}`, 'g')) ?? []
}

function* sentencesOf(text: string): Generator<string> {
  for (const line of text.split('\n')) {
    for (const { from, to } of splitSentences(line)) {
      const sentence = trimWhiteSpace(line.slice(from, to))
      if (sentence !== '') yield sentence
    }
  }
}

const Written = z.object({
  'made-from': z.string().optional(),
  sample: z.string().optional(),
  episodes: z.array(z.string()).optional(),
})

export type SummaryFile = { text: string; mark: SourceMark | null; episodes: string[] }

/** Reads a summary's file. Front matter that cannot be read counts as the author's own and is ignored. */
export function readSummary(source: string): SummaryFile {
  const { yaml, text } = splitFrontMatter(source)
  const own = { text: trimWhiteSpace(text), mark: null, episodes: [] }
  if (yaml === null || yaml.length > limitYamlChars) return own
  try {
    const read = Written.safeParse(parseDocument(yaml, { logLevel: 'silent' }).toJS({ maxAliasCount: 100 }))
    if (!read.success) return own
    const { 'made-from': hash, sample, episodes = [] } = read.data
    return { ...own, mark: hash === undefined ? null : { hash, sample: sample ?? '' }, episodes }
  } catch {
    return own
  }
}

/**
 * Returns the change of a summary's file that names an episode by its new path among those that it tells; undefined
 * where it does not tell that episode, or where its front matter cannot be written.
 */
export function renamedEpisode(
  source: string,
  from: string,
  to: string,
): { from: number; to: number; insert: string } | undefined {
  const { yaml, bodyFrom } = splitFrontMatter(source)
  const { episodes } = readSummary(source)
  if (yaml === null || !episodes.includes(from)) return undefined
  const document = parseDocument(yaml, { logLevel: 'silent' })
  if (document.errors.length > 0) return undefined
  document.set(
    'episodes',
    episodes.map((path) => (path === from ? to : path)),
  )
  return { from: 0, to: bodyFrom, insert: `---\n${document.toString({ lineWidth: 0 })}---\n` }
}

/**
 * Writes a summary's file. Comments and fields of others in the front matter of `before` stay; where that cannot be
 * read, or is prose between two thematic breaks, it becomes a comment.
 */
export function writeSummary(
  text: string,
  made: { mark: SourceMark } | { episodes: readonly string[] },
  before = '',
): string {
  const fields: z.infer<typeof Written> =
    'mark' in made
      ? { 'made-from': made.mark.hash, sample: made.mark.sample }
      : { episodes: [...made.episodes] }
  const document = documentOf(fencedBlock(before))
  for (const name of Object.keys(Written.shape)) document.delete(name)
  for (const [name, value] of Object.entries(fields)) document.set(name, value)
  return `---\n${document.toString({ lineWidth: 0 })}---\n${text.trim()}\n`
}

/** Returns front matter as a document with fields. What cannot be read as that becomes its comment. */
function documentOf(yaml: string): Document {
  const isShort = yaml.length <= limitYamlChars
  const known: Document = parseDocument(isShort ? yaml : '', { logLevel: 'silent' })
  if (isShort && known.errors.length === 0) {
    if (isMap(known.contents)) return known
    if (known.contents === null) return Object.assign(known, { contents: known.createNode({}) })
  }
  return Object.assign(new Document({}), { commentBefore: yaml })
}
