import { setImmediate } from 'node:timers/promises'
import type { Mentions } from '../../shared/domain/lore/mentions.ts'
import { isAppError } from '../../shared/errors.ts'
import { aroundPlaces } from '../../shared/text/places/around-place.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { createPatternFinder, type PatternFinder } from '../platform/files/find-pattern.ts'
import type { startThread } from '../platform/node/limited-thread.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import {
  findKey,
  foldedPattern,
  type KeyHit,
  patternOf,
  readScanText,
  type ScanText,
  sourceSpan,
} from './match-lore.ts'

/** Maximum number of places that are listed. */
const limitPlaces = 5_000
/** Time limit of one expression in one text, and in all chapters. Units: ms. */
const patternTimeouts = { text: 1_000, chapters: 3_000 } as const
/** Length of the line that is shown on each side of a place. Units: UTF-16. */
export const contextChars = 60

/**
 * Finds every place of the manuscripts where one of these keys appears, by the rules that entries match by.
 *
 * A chapter that cannot be read is named; so is an expression that fails or does not end in time.
 */
export async function findMentions(
  {
    works,
    documents,
  }: { works: Pick<WorkService, 'rootOf' | 'manuscripts'>; documents: Pick<DocumentService, 'read'> },
  workId: string,
  keys: readonly string[],
): Promise<Mentions> {
  const root = works.rootOf(workId)
  const read: { path: string; text: string; scan: ScanText }[] = []
  const unread: string[] = []
  for (const { path } of works.manuscripts(workId)) {
    try {
      const { text } = await documents.read({ root, path })
      read.push({ path, text, scan: readScanText(text) })
    } catch (error) {
      if (!isAppError(error)) throw error
      unread.push(path)
    }
    // Lets the host serve other requests meanwhile.
    await setImmediate()
  }
  const failed = new Set<string>()
  const scans = read.map(({ scan }) => scan)
  const finder = createPatternFinder(patternTimeouts.chapters)
  let patterns: Awaited<ReturnType<typeof patternHits>>
  try {
    patterns = await patternHits(finder, scans, keys, failed, limitPlaces)
  } finally {
    await finder.end()
  }
  const chapters: Mentions['chapters'] = []
  let total = 0
  for (const [nth, { path, text, scan }] of read.entries()) {
    const hits = merged([...literalHits(scan, keys), ...(patterns.hits[nth] ?? [])], limitPlaces - total)
    total += hits.length
    const spans = hits.map(({ from, to }) => ({ from, to }))
    chapters.push({ path, chars: text.length, places: aroundPlaces(text, spans, contextChars) })
    await setImmediate()
  }
  const isTruncated = patterns.isFull || total >= limitPlaces
  return { chapters, total, isTruncated, unread, failedKeys: [...failed] }
}

export type MentionSearch = ReturnType<typeof createMentionSearch>

/** Looks for each expression once, and for all of them in one thread, which is ended with the search. */
export function createMentionSearch(scan: ScanText, room: number, start?: typeof startThread) {
  const finder = createPatternFinder(patternTimeouts.text, start)
  const failed = new Set<string>()
  const known = new Map<string, readonly KeyHit[]>()
  return {
    /** Returns the places of keys, in order, at most `room`. */
    async hitsOf(keys: readonly string[]): Promise<KeyHit[]> {
      const hits = literalHits(scan, keys)
      for (const key of keys) {
        if (patternOf(key) === undefined) continue
        const found = known.get(key) ?? (await patternHits(finder, [scan], [key], failed, room)).hits[0] ?? []
        known.set(key, found)
        hits.push(...found)
      }
      return merged(hits, room)
    },
    /** Returns the expressions so far that are wrong, or did not end in time. */
    failed: (): string[] => [...failed],
    end: finder.end,
  }
}

/** Returns hits in order, at most `room`. A key inside of another one's place is not listed. */
function merged(hits: KeyHit[], room: number): KeyHit[] {
  hits.sort((a, b) => a.from - b.from || b.to - a.to)
  let end = -1
  return hits
    .filter(({ from, to }) => {
      if (from < end) return false
      end = to
      return true
    })
    .slice(0, Math.max(0, room))
}

function literalHits(scan: ScanText, keys: readonly string[]): KeyHit[] {
  const hits: KeyHit[] = []
  for (const key of keys) {
    if (patternOf(key) !== undefined) continue
    let before = scan.folded.length
    let hit = findKey(scan, key, before)
    while (hit?.foldedFrom !== undefined) {
      hits.push(hit)
      before = hit.foldedFrom
      hit = findKey(scan, key, before)
    }
  }
  return hits
}

/**
 * Returns the places of the keys that are expressions, in each text; expressions that fail are added to `failed`.
 * `isFull`: one of them has more places than `room`.
 */
async function patternHits(
  finder: PatternFinder,
  scans: readonly ScanText[],
  keys: readonly string[],
  failed: Set<string>,
  room: number,
): Promise<{ hits: KeyHit[][]; isFull: boolean }> {
  const hits: KeyHit[][] = scans.map(() => [])
  let isFull = false
  const texts = scans.map(({ folded }) => folded)
  for (const key of keys) {
    const source = foldedPattern(key)
    if (source === undefined || failed.has(key)) continue
    try {
      const pattern = { source, isCaseSensitive: false, replacement: '' }
      const found = await finder.find(texts, pattern, Math.max(1, room))
      isFull ||= found.flat().length >= room
      for (const [nth, scan] of scans.entries())
        for (const span of found[nth] ?? []) hits[nth]?.push({ key, ...sourceSpan(scan, span) })
    } catch (error) {
      if (!isAppError(error, 'find/bad-pattern') && !isAppError(error, 'find/too-slow')) throw error
      failed.add(key)
    }
  }
  return { hits, isFull }
}
