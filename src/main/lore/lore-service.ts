import { basename, extname, join } from 'node:path'
import type {
  LoreCandidate,
  LoreEntry,
  LoreProblem,
  LoreReason,
  LoreSettings,
} from '../../shared/domain/lore/lore.ts'
import type { WorkFile } from '../../shared/domain/work/work-file.ts'
import { isAppError } from '../../shared/errors.ts'
import { isWhiteSpace, trimWhere, trimWhiteSpace } from '../../shared/text/white-space.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, errorCode } from '../platform/files/disk.ts'
import { findPattern } from '../platform/files/find-pattern.ts'
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
} from './match-lore.ts'
import { isSummaryFile } from './material-files.ts'

/** Time limit of one regular expression; each runs in its own worker thread, which is then terminated. Units: ms. */
const patternTimeoutMs = 300
const limitSentence = 200
/** Largest material that is read as an entry: no prompt has room for more. */
const limitEntryBytes = 2_000_000
/** Number of expressions that took too long after which the remaining ones of a match are not tried. */
const limitSlow = 10

/** Texts that are searched for keys. `path`: the continued file; its place among the manuscripts is the episode. */
export type LoreScan = {
  /** The end of the body, as in the prompt. */
  text: string
  /** The author's note. */
  note: string
  path: string
  /** True where the text of a matched entry is searched for keys of others, one level deep. */
  isRecursive: boolean
  /** Manuscripts whose places a reason may name, the newest last. */
  files: readonly { path: string; text: string }[]
}

/** Entries in force, with the reasons of those that matched. */
export type MatchedLore = {
  inForce: LoreEntry[]
  reasons: Map<string, LoreReason>
  problems: { path: string; problem: LoreProblem }[]
}

/** The lore of works: entries are read from their files, found in texts, and edited in their files. */
export type LoreService = {
  list(workId: string): Promise<{ entries: LoreEntry[]; candidates: LoreCandidate[] }>
  match(workId: string, scan: LoreScan): Promise<MatchedLore>
  /** Writes settings into the front matter of a material; without one it becomes an entry. Errors: `file/…`. */
  update(workId: string, path: string, patch: Partial<LoreSettings>): Promise<LoreEntry>
}

type ReadFile = { stamp: string; entry: LoreEntry | null; candidate: LoreCandidate | null }
type PatternResult = KeyHit | 'none' | 'bad-pattern' | 'slow-pattern' | 'not-tried'

export function createLoreService(deps: {
  disk: Disk
  works: Pick<WorkService, 'rootOf' | 'get'>
  documents: Pick<DocumentService, 'read' | 'edit' | 'flush'>
  patternTimeoutMs?: number
}): LoreService {
  const { disk, works, documents } = deps
  const timeoutMs = deps.patternTimeoutMs ?? patternTimeoutMs
  /** Files that were read, by the work's folder and the path in it: a file in two open works has an entry for each. */
  const files = new Map<string, ReadFile>()
  /** By expression and text; only the texts of the last match are kept. */
  let patternResults = new Map<string, PatternResult>()
  /** Expressions that did not end in time are not tried again. */
  const slow = new Set<string>()

  async function readAll(workId: string): Promise<ReadFile[]> {
    const root = works.rootOf(workId)
    const materials = works.get(workId).files.filter(isPossibleEntry)
    const read: ReadFile[] = []
    for (const { path } of materials) {
      const file = await readOne(root, path)
      if (file !== undefined) read.push(file)
    }
    return read
  }

  async function readOne(root: string, path: string): Promise<ReadFile | undefined> {
    const absolute = join(root, path)
    try {
      await documents.flush(absolute)
      const stats = await disk.stat(absolute)
      if (stats === undefined || stats.size > limitEntryBytes) return undefined
      const stamp = `${stats.mtimeMs} ${stats.size}`
      const id = JSON.stringify([root, path])
      const known = files.get(id)
      if (known?.stamp === stamp) return known
      const { text } = await documents.read({ root, path })
      const file = { stamp, ...readEntry(path, text) }
      files.set(id, file)
      return file
    } catch (error) {
      // A material that cannot be read is reported where it is opened; the others are still listed.
      if (errorCode(error) === undefined && !isAppError(error)) throw error
      return undefined
    }
  }

  /** Runs the expressions that a match needs, each with its own time limit. */
  async function runPatterns(scans: readonly ScanText[], keys: ReadonlySet<string>): Promise<void> {
    const next: typeof patternResults = new Map()
    let slowCount = 0
    for (const scan of scans) {
      const hash = contentHash(Buffer.from(scan.plain))
      for (const key of keys) {
        const id = `${hash} ${key}`
        const known = patternResults.get(id)
        const isKnown = known !== undefined && known !== 'not-tried'
        const result = isKnown ? known : slowCount >= limitSlow ? 'not-tried' : await runPattern(scan, key)
        if (!isKnown && result === 'slow-pattern') slowCount += 1
        next.set(id, result)
      }
    }
    patternResults = next
  }

  async function runPattern(scan: ScanText, key: string): Promise<PatternResult> {
    const source = patternOf(key) ?? ''
    if (slow.has(source)) return 'slow-pattern'
    try {
      const pattern = { source, isCaseSensitive: false, replacement: '' }
      const [[hit] = []] = await findPattern([scan.plain], pattern, 1, timeoutMs)
      if (hit === undefined) return 'none'
      const end = scan.source.length
      return { key, from: scan.plainOffsets[hit.from] ?? end, to: scan.plainOffsets[hit.to] ?? end }
    } catch (error) {
      if (isAppError(error, 'find/bad-pattern')) return 'bad-pattern'
      if (!isAppError(error, 'find/too-slow')) throw error
      slow.add(source)
      return 'slow-pattern'
    }
  }

  function finder(scan: ScanText): (key: string) => KeyHit | undefined {
    const hash = contentHash(Buffer.from(scan.plain))
    const found = new Map<string, KeyHit | undefined>()
    return (key) => {
      if (!found.has(key)) {
        const result =
          patternOf(key) === undefined ? findKey(scan, key) : patternResults.get(`${hash} ${key}`)
        found.set(key, typeof result === 'object' ? result : undefined)
      }
      return found.get(key)
    }
  }

  return {
    async list(workId) {
      const read = await readAll(workId)
      return {
        entries: read.flatMap(({ entry }) => entry ?? []),
        candidates: read.flatMap(({ candidate }) => candidate ?? []),
      }
    },

    async match(workId, request) {
      const entries = (await readAll(workId)).flatMap(({ entry }) => entry ?? [])
      const episode = episodeOf(works.get(workId).files, request.path)
      const inForce = entries.filter((entry) => isInForce(entry, episode))
      const patterns = new Set(
        inForce
          .flatMap(({ keys, also, never }) => [...keys, ...also, ...never])
          .filter((key) => patternOf(key)),
      )
      const scans = [request.text, request.note].map(readScanText)
      await runPatterns(scans, patterns)
      const reasons = new Map<string, LoreReason>()
      for (const entry of inForce) if (entry.always) reasons.set(entry.path, { kind: 'always' })
      const [inText, inNote] = scans.map(finder)
      const matched: LoreEntry[] = []
      for (const entry of inForce) {
        if (entry.always) continue
        // Keys, and the conditions on them, count wherever the prompt has them.
        const hitOf = (key: string) => inText?.(key) ?? inNote?.(key)
        const hit = matchEntry(entry, episode, hitOf)
        if (hit === undefined) continue
        matched.push(entry)
        const isInText = inText?.(hit.key) !== undefined
        const source = isInText ? request.text : request.note
        reasons.set(entry.path, matchReason(hit, source, isInText ? request.files : []))
      }
      if (request.isRecursive) {
        const called = matched.map(({ text }) => readScanText(text))
        for (const scan of called) {
          const hitOf = finderOfLiterals(scan)
          for (const entry of inForce) {
            if (reasons.has(entry.path)) continue
            const isThere = (key: string) => (hitOf(key) ?? inText?.(key) ?? inNote?.(key)) !== undefined
            const hit = matchEntry(entry, episode, hitOf, isThere)
            if (hit !== undefined) reasons.set(entry.path, matchReason(hit, scan.source, []))
          }
        }
      }
      return { inForce, reasons, problems: problemsOf(entries, patternResults) }
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

function finderOfLiterals(scan: ScanText): (key: string) => KeyHit | undefined {
  return (key) => (patternOf(key) === undefined ? findKey(scan, key) : undefined)
}

function matchReason(hit: KeyHit, source: string, files: LoreScan['files']): LoreReason {
  const sentence = sentenceAround(source, hit)
  const place = placeOf(source.slice(hit.from, hit.to), sentence, files)
  return { kind: 'match', key: hit.key, sentence: sentence.trim().slice(0, limitSentence), at: place }
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

function problemsOf(entries: readonly LoreEntry[], results: ReadonlyMap<string, PatternResult>) {
  const failed = new Map<string, 'bad-pattern' | 'slow-pattern'>()
  for (const [id, result] of results) {
    if (typeof result === 'object' || result === 'none') continue
    failed.set(id.slice(id.indexOf(' ') + 1), result === 'bad-pattern' ? result : 'slow-pattern')
  }
  return entries.flatMap(({ path, problems, keys, also, never }) => [
    ...problems.map((problem) => ({ path, problem })),
    ...[...keys, ...also, ...never].flatMap((key) => {
      const kind = failed.get(key)
      return kind === undefined ? [] : { path, problem: { kind, key } as const }
    }),
  ])
}
