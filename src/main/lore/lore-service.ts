import type {
  LoreEntry,
  LoreProblem,
  LoreReason,
  LoreSettings,
  UnreadLore,
} from '../../shared/domain/lore/lore.ts'
import type { WorkFile } from '../../shared/domain/work/work-file.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { startThread } from '../platform/node/limited-thread.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { splitFrontMatter, writeSettings } from './front-matter.ts'
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
import { createPatternSearches, type PatternSearch } from './pattern-search.ts'
import { createMaterialReader, readEntry } from './read-materials.ts'

/** Texts that are searched for keys. `path`: the continued file; its place among the manuscripts is the chapter. */
export type LoreScan = {
  /** The end of the body, as in the prompt. */
  text: string
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
  revision: string
}

/** The lore of works: entries are read from their files, found in texts, and edited in their files. */
export type LoreService = ReturnType<typeof createLoreService>

export function createLoreService(deps: {
  disk: Disk
  works: Pick<WorkService, 'rootOf' | 'get'>
  documents: Pick<DocumentService, 'read' | 'edit' | 'flush'>
  patternTimeoutMs?: number
  /** How long the file system may take to answer. Tests shorten it. */
  stallMs?: number
  startThread?: typeof startThread
}) {
  const { works, documents } = deps
  const newSearch = createPatternSearches(deps.patternTimeoutMs, deps.startThread)
  const readAll = createMaterialReader(deps)

  return {
    list: readAll,

    /** Returns the same without the texts, for a list of entries. */
    async heads(workId: string) {
      const { entries, ...listed } = await readAll(workId)
      return { ...listed, entries: entries.map(({ text: _, textFrom: __, ...head }) => head) }
    },

    /** Returns whether entries that come and go with the text are in force for a file. */
    async hasKeyed(workId: string, path: string): Promise<boolean> {
      const { entries } = await readAll(workId)
      const chapterNumber = chapterNumberOf(works.get(workId).files, path)
      return entries.some((entry) => !entry.always && isInForce(entry, chapterNumber))
    },

    async match(workId: string, request: LoreScan): Promise<MatchedLore> {
      const { entries, unread, revision } = await readAll(workId)
      const chapterNumber = chapterNumberOf(works.get(workId).files, request.path)
      const inForce = entries.filter((entry) => isInForce(entry, chapterNumber))
      const search = newSearch()
      try {
        const reasons = await reasonsOf(search, inForce, chapterNumber, request)
        const problems = problemsOf(entries, search.failures(inForce.flatMap(keysOf)))
        return { inForce, reasons, problems, unread, revision }
      } finally {
        await search.end()
      }
    },

    /** Writes settings into the front matter of a material; without one it becomes an entry. Errors: `file/…`. */
    async update(workId: string, path: string, patch: Partial<LoreSettings>): Promise<LoreEntry> {
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

/** Returns the number of a chapter, from 1; null for a file that is no manuscript. */
function chapterNumberOf(files: readonly WorkFile[], path: string): number | null {
  const at = files.filter(({ kind }) => kind === 'manuscript').findIndex((file) => file.path === path)
  return at < 0 ? null : at + 1
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
  chapterNumber: number | null,
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
    const hit = matchEntry(entry, chapterNumber, onPage)
    if (hit === undefined) continue
    const isInText = text.hitOf(hit.key) !== undefined
    const source = isInText ? request.text : request.note
    const at = isInText ? placeOf(hit, source, request.files) : null
    reasons.set(entry.path, matchReason(hit, source, isInText ? 'text' : 'note', at))
  }
  if (!request.isRecursive) return reasons
  const calling = inForce
    .filter(({ path }) => reasons.has(path))
    .map((caller) => ({ caller, ...keyFinder(search, caller.text) }))
  const rest = keyed.filter(({ path }) => !reasons.has(path))
  await lookForPatterns(search, rest, calling, [text, note])
  for (const { caller, scan, hitOf } of calling) {
    for (const entry of rest) {
      if (reasons.has(entry.path)) continue
      const isThere = (key: string) => (hitOf(key) ?? onPage(key)) !== undefined
      const hit = matchEntry(entry, chapterNumber, hitOf, isThere)
      if (hit === undefined) continue
      const { path, textFrom } = caller
      const at = { path, from: textFrom + hit.from, to: textFrom + hit.to }
      reasons.set(entry.path, matchReason(hit, scan.source, 'entry', at))
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

type MatchReason = Extract<LoreReason, { kind: 'match' }>

function matchReason(
  hit: KeyHit,
  source: string,
  foundIn: MatchReason['foundIn'],
  at: MatchReason['at'],
): MatchReason {
  const sentence = shortSentence(sentenceAround(source, hit), source.slice(hit.from, hit.to))
  return { kind: 'match', key: hit.key, sentence, foundIn, at }
}

/** Returns the place of a hit in a file. The text that is sent differs (dice, comments): searches from the end. */
function placeOf(hit: KeyHit, source: string, files: LoreScan['files']): MatchReason['at'] {
  const [found, sentence] = [source.slice(hit.from, hit.to), sentenceAround(source, hit)]
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

function keysOf({ keys, also, never }: LoreEntry): string[] {
  return [...keys, ...also, ...never]
}
