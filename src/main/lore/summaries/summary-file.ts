import { extname, join } from 'node:path/posix'
import { Document, isMap, parseDocument } from 'yaml'
import { z } from 'zod'
import type { UnreadLore } from '../../../shared/domain/lore/lore.ts'
import type { SourceMark } from '../../../shared/domain/lore/summary-source.ts'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import { AppError } from '../../../shared/errors.ts'
import { splitSentences } from '../../../shared/text/sentences.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { trimWhiteSpace } from '../../../shared/text/white-space.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { fencedBlock, limitYamlChars, splitFrontMatter } from '../front-matter.ts'
import { isSummaryFile, materialFolderOf, summaryFolder } from '../material-files.ts'

/** Number of sampled sentences of a chapter: enough to detect a change of a tenth. */
const sampleSize = 96
/** Hexadecimal digits of a sampled sentence's hash. */
const sampleDigits = 6
const outdatedShare = 0.1

/** The folder of the summaries; `whole` is the file of the summary of several chapters. */
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
 * Returns where the summary of each chapter of a work is kept: under the chapter's name without its ending. Where
 * chapters differ only in their endings, one of them has this name, and the others their whole names.
 */
export function summaryPaths(
  { folder, whole }: SummaryFolder,
  files: readonly Pick<WorkFile, 'path' | 'kind'>[],
): (chapter: string) => string {
  const present = new Set(files.map(({ path }) => path))
  const named = (name: string) => `${join(folder, name)}.md`
  const owners = new Map<string, string>()
  for (const { path, kind } of files) {
    // A summary under the whole name stays the chapter's own, also where the other chapters are gone.
    if (kind !== 'manuscript' || present.has(named(path))) continue
    const owner = owners.get(stemOf(path))
    if (owner === undefined || rankOf(path) < rankOf(owner)) owners.set(stemOf(path), path)
  }
  return (chapter) => {
    const plain = named(stemOf(chapter))
    const isOwner = (owners.get(stemOf(chapter)) ?? chapter) === chapter
    return isOwner && plain !== whole && !present.has(named(chapter)) ? plain : named(chapter)
  }
}

function stemOf(path: string): string {
  return path.slice(0, path.length - extname(path).length)
}

/** File endings of texts. Of chapters that differ only in the ending, the one that is first here has the plain name. */
const endings = ['.txt', '.text', '.md', '.markdown']

function rankOf(path: string): number {
  const rank = endings.indexOf(extname(path).toLowerCase())
  return rank < 0 ? endings.length : rank
}

/** The states of several chapters when they were summarised together, by their paths. */
export type SourceMarks = Readonly<Record<string, SourceMark>>

/** Most sampled sentences in the front matter of one file, and fewest of a chapter by which a change is measured. */
const mostSamples = 4_000
const fewestSamples = 12

/** Returns the size of a chapter's sample where the marks of this many stand in one file; 0: there is no room. */
function sampleSizeAmong(episodes: number): number {
  const size = Math.min(sampleSize, Math.floor(mostSamples / Math.max(episodes, 1)))
  return size < fewestSamples ? 0 : size
}

export function markSource(text: string, size = sampleSize): SourceMark {
  const hashes = [...sentencesOf(text)].map((sentence) => contentHash(sentence).slice(0, sampleDigits))
  const sample = [...new Set(hashes)].sort().slice(0, size).join('')
  return { hash: contentHash(text).slice(0, 16), sample }
}

/** Returns whether more than a tenth of a chapter has changed since. `size`: that of the mark's sample. */
export function isOutdated(mark: SourceMark, text: string, size = sampleSize): boolean {
  if (contentHash(text).slice(0, 16) === mark.hash) return false
  const before = new Set(samplesOf(mark.sample))
  const now = new Set(samplesOf(markSource(text, size).sample))
  // Compares only up to the last hash that both samples reach: a later hash may just not have been sampled.
  const reach = [before, now].map((set) => (set.size < size ? 'g' : ([...set].at(-1) ?? ''))).sort()[0] ?? 'g'
  const within = (set: Set<string>) => [...set].filter((hash) => hash <= reach)
  const kept = within(before).filter((hash) => now.has(hash)).length
  const most = Math.max(within(before).length, within(now).length)
  return most === 0 || 1 - kept / most > outdatedShare
}

/** Returns `isOutdated` of a chapter that was summarised with others; without samples, whether it has changed. */
export function isOutdatedAmong(marks: SourceMarks | undefined, path: string, text: string): boolean {
  const mark = marks !== undefined && Object.hasOwn(marks, path) ? marks[path] : undefined
  return mark !== undefined && isOutdated(mark, text, sampleSizeAmong(Object.keys(marks ?? {}).length))
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
  /** Of several chapters: by the path of each, its hash and its sample. */
  'made-from': z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  sample: z.string().optional(),
  episodes: z.array(z.string()).optional(),
})

/** Shape: `marks` of a summary of several chapters; absent where its author wrote it. */
export type SummaryFile = { text: string; mark: SourceMark | null; episodes: string[]; marks?: SourceMarks }

/** A summary as its file has it, or why the file cannot be read; undefined where there is none. */
export type ReadSummary<T extends SummaryFile = SummaryFile> = T | UnreadLore | undefined

/** Returns what was read, which may be replaced. Errors: `lore/unread-summary` for a file that cannot be read. */
export function needReadable<T extends SummaryFile>(read: ReadSummary<T>, file: string): T | undefined {
  if (read !== undefined && 'error' in read) throw new AppError({ code: 'lore/unread-summary', path: file })
  return read
}

/** Reads a summary's file. Front matter that cannot be read counts as the author's own and is ignored. */
export function readSummary(source: string): SummaryFile {
  const { yaml, text } = splitFrontMatter(source)
  const own = { text: trimWhiteSpace(text), mark: null, episodes: [] }
  if (yaml === null || yaml.length > limitYamlChars) return own
  try {
    const read = Written.safeParse(parseDocument(yaml, { logLevel: 'silent' }).toJS({ maxAliasCount: 100 }))
    if (!read.success) return own
    const { 'made-from': made, sample = '', episodes = [] } = read.data
    if (made === undefined) return { ...own, episodes }
    if (typeof made === 'string') return { ...own, mark: { hash: made, sample }, episodes }
    const marks = Object.entries(made).map(([path, written]) => {
      const [hash = '', sampled = ''] = written.split(' ')
      return [path, { hash, sample: sampled }] as const
    })
    return { ...own, episodes, marks: Object.fromEntries(marks) }
  } catch {
    return own
  }
}

/**
 * Returns the change of a summary's file that names a chapter by its new path among those that it tells; undefined
 * where it does not tell that chapter, or where its front matter cannot be written.
 */
export function renamedChapter(source: string, from: string, to: string) {
  const { yaml, bodyFrom } = splitFrontMatter(source)
  const { episodes } = readSummary(source)
  if (yaml === null || !episodes.includes(from)) return undefined
  const document = parseDocument(yaml, { logLevel: 'silent' })
  if (document.errors.length > 0) return undefined
  document.set(
    'episodes',
    episodes.map((path) => (path === from ? to : path)),
  )
  const marks = document.get('made-from')
  if (isMap(marks) && marks.has(from)) {
    marks.set(to, marks.get(from))
    marks.delete(from)
  }
  return { from: 0, to: bodyFrom, insert: `---\n${document.toString({ lineWidth: 0 })}---\n` }
}

/**
 * Writes a summary's file. Comments and fields of others in the front matter of `before` stay; where that cannot be
 * read, or is prose between two thematic breaks, it becomes a comment.
 */
export function writeSummary(
  text: string,
  made: { mark: SourceMark } | { episodes: readonly string[]; marks?: SourceMarks },
  before = '',
): string {
  const fields: z.infer<typeof Written> =
    'mark' in made
      ? { 'made-from': made.mark.hash, sample: made.mark.sample }
      : { episodes: [...made.episodes], ...writtenMarks(made.marks) }
  const document = documentOf(fencedBlock(before))
  for (const name of Object.keys(Written.shape)) document.delete(name)
  for (const [name, value] of Object.entries(fields)) document.set(name, value)
  return `---\n${document.toString({ lineWidth: 0 })}---\n${text.trim()}\n`
}

function writtenMarks(marks: SourceMarks = {}): Pick<z.infer<typeof Written>, 'made-from'> {
  const entries = Object.entries(marks)
  if (entries.length === 0) return {}
  const digits = sampleSizeAmong(entries.length) * sampleDigits
  const written = entries.map(([path, { hash, sample }]) => [
    path,
    `${hash} ${sample.slice(0, digits)}`.trim(),
  ])
  return { 'made-from': Object.fromEntries(written) }
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
