import { basename, extname, join } from 'node:path'
import type {
  LoreCandidate,
  LoreEntry,
  LoreProblem,
  LoreReason,
  LoreSettings,
  UnreadLore,
} from '../../shared/domain/lore/lore.ts'
import type { WorkFile } from '../../shared/domain/work/work-file.ts'
import { AppError } from '../../shared/errors.ts'
import { isWhiteSpace, trimWhere, trimWhiteSpace } from '../../shared/text/white-space.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { Disk } from '../platform/files/disk.ts'
import { inTime } from '../platform/files/read-regular-file.ts'
import type { startThread } from '../platform/node/limited-thread.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { readSettings, splitFrontMatter, writeSettings } from './front-matter.ts'
import {
  findKey,
  isInForce,
  type KeyHit,
  matchEntry,
  patternOf,
  readScanText,
  type ScanText,
  sentenceAround,
  shortSentence,
} from './match-lore.ts'
import { isSummaryFile } from './material-files.ts'
import { createPatternSearches, type PatternSearch } from './pattern-search.ts'
import { orFailure } from './unread-file.ts'

/** Largest material that is read as an entry: no prompt has room for more. */
const limitEntryBytes = 2_000_000

/** Texts that are searched for keys. `path`: the continued file; its place among the manuscripts is the episode. */
export type LoreScan = {
  /** The end of the body, as in the prompt. */
  text: string
  /** The author's note. */
  note: string
  path: string
  /** True where the text of an entry that matched or always holds is searched for keys of others, one level deep. */
  isRecursive: boolean
  /** Manuscripts whose places a reason may name, the newest last. */
  files: readonly { path: string; text: string }[]
}

/** Entries in force, with the reasons of those that matched. `unread`: materials that could not be read. */
export type MatchedLore = {
  inForce: LoreEntry[]
  reasons: Map<string, LoreReason>
  problems: { path: string; problem: LoreProblem }[]
  unread: UnreadLore[]
}

/** The materials of a work: entries, what could become one, and what cannot be read. */
export type ListedLore = { entries: LoreEntry[]; candidates: LoreCandidate[]; unread: UnreadLore[] }

/** The lore of works: entries are read from their files, found in texts, and edited in their files. */
export type LoreService = {
  list(workId: string): Promise<ListedLore>
  match(workId: string, scan: LoreScan): Promise<MatchedLore>
  /** Writes settings into the front matter of a material; without one it becomes an entry. Errors: `file/…`. */
  update(workId: string, path: string, patch: Partial<LoreSettings>): Promise<LoreEntry>
}

type ReadFile = { stamp: string; entry: LoreEntry | null; candidate: LoreCandidate | null }

export function createLoreService(deps: {
  disk: Disk
  works: Pick<WorkService, 'rootOf' | 'get'>
  documents: Pick<DocumentService, 'read' | 'edit' | 'flush'>
  patternTimeoutMs?: number
  /** How long the file system may take to answer. Tests shorten it. */
  stallMs?: number
  startThread?: typeof startThread
}): LoreService {
  const { disk, works, documents } = deps
  const newSearch = createPatternSearches(deps.patternTimeoutMs, deps.startThread)
  /** Files that were read, by the work's folder and the path in it: a file in two open works has an entry for each. */
  const files = new Map<string, ReadFile>()

  async function readAll(workId: string): Promise<ListedLore> {
    const root = works.rootOf(workId)
    const paths = works
      .get(workId)
      .files.filter(isPossibleEntry)
      .map(({ path }) => path)
    // All at once, so that a disk that does not answer is waited for only once.
    const examined = await Promise.all(
      paths.map((path) => orFailure(path, inTime(examine(join(root, path)), path, deps.stallMs))),
    )
    const listed: ListedLore = { entries: [], candidates: [], unread: [] }
    for (const [at, path] of paths.entries()) {
      const found = examined[at]
      if (found === undefined) continue
      const file =
        'error' in found ? found : await orFailure(path, readOne(root, path, found.stamp, found.sizeBytes))
      if ('error' in file) listed.unread.push(file)
      else if (file.entry !== null) listed.entries.push(file.entry)
      else if (file.candidate !== null) listed.candidates.push(file.candidate)
    }
    return listed
  }

  /** Examines a file, with its unsaved text written; undefined where it was removed. */
  async function examine(absolute: string): Promise<{ stamp: string; sizeBytes: number } | undefined> {
    await documents.flush(absolute)
    const stats = await disk.stat(absolute)
    if (stats !== undefined) return { stamp: `${stats.mtimeMs} ${stats.size}`, sizeBytes: stats.size }
    // A link to nothing is still there.
    if ((await disk.lstat(absolute)) === undefined) return undefined
    throw new AppError({ code: 'file/not-found', path: absolute })
  }

  async function readOne(root: string, path: string, stamp: string, sizeBytes: number): Promise<ReadFile> {
    if (sizeBytes > limitEntryBytes)
      throw new AppError({ code: 'file/too-large', path, sizeBytes, limitBytes: limitEntryBytes })
    const id = JSON.stringify([root, path])
    const known = files.get(id)
    if (known?.stamp === stamp) return known
    const { text } = await documents.read({ root, path })
    const file = { stamp, ...readEntry(path, text) }
    files.set(id, file)
    return file
  }

  return {
    list: readAll,

    async match(workId, request) {
      const { entries, unread } = await readAll(workId)
      const episode = episodeOf(works.get(workId).files, request.path)
      const inForce = entries.filter((entry) => isInForce(entry, episode))
      const search = newSearch()
      try {
        const reasons = await reasonsOf(search, inForce, episode, request)
        const problems = problemsOf(entries, search.failures(inForce.flatMap(keysOf)))
        return { inForce, reasons, problems, unread }
      } finally {
        await search.end()
      }
    },

    async update(workId, path, patch) {
      const root = works.rootOf(workId)
      await documents.edit(
        { root, path },
        (doc) => {
          const before = doc.toString()
          const after = writeSettings(before, patch)
          const end = splitFrontMatter(before).bodyFrom
          return { from: 0, to: end, insert: after.slice(0, after.length - (before.length - end)) }
        },
        'transfer',
      )
      const { text } = await documents.read({ root, path })
      const { entry } = readEntry(path, text)
      if (entry === null) throw new Error('an entry that was just written is none')
      return entry
    },
  }
}

function isPossibleEntry({ path, kind }: WorkFile): boolean {
  return kind === 'material' && !isSummaryFile({ path, kind })
}

/** Returns the number of an episode, from 1; null for a file that is no manuscript. */
function episodeOf(files: readonly WorkFile[], path: string): number | null {
  const at = files.filter(({ kind }) => kind === 'manuscript').findIndex((file) => file.path === path)
  return at < 0 ? null : at + 1
}

/** Reads a material: an entry, or what could become one. */
export function readEntry(path: string, source: string): Pick<ReadFile, 'entry' | 'candidate'> {
  const { yaml, text } = splitFrontMatter(source)
  const name = basename(path, extname(path))
  const read = yaml === null ? undefined : readSettings(yaml)
  if (!read?.isEntry) return { entry: null, candidate: { path, keys: proposedKeys(name, text) } }
  const problems = read.problem === null ? [] : [read.problem]
  return { entry: { ...read.settings, path, name, text: trimWhiteSpace(text), problems }, candidate: null }
}

/** Proposes keys: the file's name, and the headings that are short enough to be names. */
function proposedKeys(name: string, text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6}[ \t　]+(.+)$/gmu)].map((match) =>
    trimWhere(match[1] ?? '', isOfHeading),
  )
  return [...new Set([name, ...headings])].filter((key) => key !== '' && key.length <= 40).slice(0, 8)
}

/** True for blanks and for the signs (`#`) that may close a heading. */
function isOfHeading(codeUnit: number): boolean {
  return isWhiteSpace(codeUnit) || codeUnit === 0x23
}

/** Finds keys in one text; expressions must have been looked for. */
type KeyFinder = { scan: ScanText; hitOf(key: string): KeyHit | undefined }

function keyFinder(search: PatternSearch, source: string): KeyFinder {
  const scan = readScanText(source)
  const literals = new Map<string, KeyHit | undefined>()
  return {
    scan,
    hitOf(key) {
      if (patternOf(key) !== undefined) return search.hitOf(scan, key)
      if (!literals.has(key)) literals.set(key, findKey(scan, key))
      return literals.get(key)
    },
  }
}

/** Returns why entries hold: always, by a key on the page, or by one in the text of an entry that holds. */
async function reasonsOf(
  search: PatternSearch,
  inForce: readonly LoreEntry[],
  episode: number | null,
  request: LoreScan,
): Promise<Map<string, LoreReason>> {
  const reasons = new Map<string, LoreReason>()
  for (const { always, path } of inForce) if (always) reasons.set(path, { kind: 'always' })
  const text = keyFinder(search, request.text)
  const note = keyFinder(search, request.note)
  // Keys, and the conditions on them, count wherever the prompt has them.
  const onPage = (key: string) => text.hitOf(key) ?? note.hitOf(key)
  const keyed = inForce.filter(({ always }) => !always)
  await lookForPatterns(search, keyed, [text, note], [])
  for (const entry of keyed) {
    const hit = matchEntry(entry, episode, onPage)
    if (hit === undefined) continue
    const isInText = text.hitOf(hit.key) !== undefined
    const source = isInText ? request.text : request.note
    reasons.set(entry.path, matchReason(hit, source, isInText ? request.files : []))
  }
  if (!request.isRecursive) return reasons
  const calling = inForce
    .filter(({ path }) => reasons.has(path))
    .map((entry) => keyFinder(search, entry.text))
  const rest = keyed.filter(({ path }) => !reasons.has(path))
  await lookForPatterns(search, rest, calling, [text, note])
  for (const { scan, hitOf } of calling) {
    for (const entry of rest) {
      if (reasons.has(entry.path)) continue
      const isThere = (key: string) => (hitOf(key) ?? onPage(key)) !== undefined
      const hit = matchEntry(entry, episode, hitOf, isThere)
      if (hit !== undefined) reasons.set(entry.path, matchReason(hit, scan.source, []))
    }
  }
  return reasons
}

/** Looks for keys in `texts`; for conditions there and in `alsoIn`, of entries with a key in one of `texts` only. */
async function lookForPatterns(
  search: PatternSearch,
  entries: readonly LoreEntry[],
  texts: readonly KeyFinder[],
  alsoIn: readonly KeyFinder[],
): Promise<void> {
  const scansOf = (finders: readonly KeyFinder[]) => finders.map(({ scan }) => scan)
  await search.look(
    scansOf(texts),
    entries.flatMap(({ keys }) => keys),
  )
  const found = entries.filter(({ keys }) =>
    keys.some((key) => texts.some(({ hitOf }) => hitOf(key) !== undefined)),
  )
  await search.look(
    scansOf([...texts, ...alsoIn]),
    found.flatMap(({ also, never }) => [...also, ...never]),
  )
}

function matchReason(hit: KeyHit, source: string, files: LoreScan['files']): LoreReason {
  const sentence = sentenceAround(source, hit)
  const place = placeOf(source.slice(hit.from, hit.to), sentence, files)
  return {
    kind: 'match',
    key: hit.key,
    sentence: shortSentence(sentence, source.slice(hit.from, hit.to)),
    at: place,
  }
}

/** Returns the place of a hit in a file. The text that is sent differs (dice, comments): searches from the end. */
function placeOf(found: string, sentence: string, files: LoreScan['files']) {
  for (const { path, text } of files.toReversed()) {
    const at = text.lastIndexOf(sentence)
    const from = at < 0 ? -1 : text.indexOf(found, at)
    if (from >= 0) return { path, from, to: from + found.length }
  }
  return null
}

function problemsOf(
  entries: readonly LoreEntry[],
  failed: ReadonlyMap<string, 'bad-pattern' | 'slow-pattern'>,
): MatchedLore['problems'] {
  return entries.flatMap((entry) => [
    ...entry.problems.map((problem) => ({ path: entry.path, problem })),
    ...keysOf(entry).flatMap((key) => {
      const kind = failed.get(key)
      return kind === undefined ? [] : { path: entry.path, problem: { kind, key } as const }
    }),
  ])
}

/** Returns the keys of an entry and those of its conditions. */
function keysOf({ keys, also, never }: LoreEntry): string[] {
  return [...keys, ...also, ...never]
}
