import type { Mentions } from '../../shared/domain/lore/mentions.ts'
import { isAppError } from '../../shared/errors.ts'
import { aroundPlaces } from '../../shared/text/around-place.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { findPattern } from '../platform/files/find-pattern.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { findKey, type KeyHit, patternOf, readScanText, type ScanText } from './match-lore.ts'

/** Most places that are listed: more than anybody looks through. */
const limitPlaces = 5_000
const patternTimeoutMs = 1_000
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
  const chapters: Mentions['chapters'] = []
  const unread: string[] = []
  const failed = new Set<string>()
  let total = 0
  for (const { path } of works.manuscripts(workId)) {
    try {
      const { text } = await documents.read({ root, path })
      const scan = readScanText(text)
      const hits = await hitsOf(scan, keys, failed, limitPlaces - total)
      total += hits.length
      const spans = hits.map(({ from, to }) => ({ from, to }))
      chapters.push({ path, chars: text.length, places: aroundPlaces(text, spans, contextChars) })
    } catch (error) {
      if (!isAppError(error)) throw error
      unread.push(path)
    }
    // Lets the host serve other requests meanwhile.
    await new Promise((next) => setImmediate(next))
  }
  return { chapters, total, isTruncated: total >= limitPlaces, unread, failedKeys: [...failed] }
}

/** Returns places of keys in a text, in order, at most `room`; expressions that fail are added to `failed`. */
export async function hitsOf(
  scan: ScanText,
  keys: readonly string[],
  failed: Set<string>,
  room: number,
): Promise<KeyHit[]> {
  const hits: KeyHit[] = []
  for (const key of keys) {
    const source = patternOf(key)
    if (source === undefined) hits.push(...literalHits(scan, key))
    else if (!failed.has(key)) hits.push(...(await patternHits(scan, key, source, failed, room)))
  }
  hits.sort((a, b) => a.from - b.from || b.to - a.to)
  // A key inside of another one's place is not listed.
  let end = -1
  return hits
    .filter(({ from, to }) => {
      if (from < end) return false
      end = to
      return true
    })
    .slice(0, Math.max(0, room))
}

/** Returns the places of a literal key, from the last to the first. */
function literalHits(scan: ScanText, key: string): KeyHit[] {
  const hits: KeyHit[] = []
  for (let before = scan.folded.length; ; ) {
    const hit = findKey(scan, key, before)
    if (hit === undefined || hit.foldedFrom === undefined) return hits
    hits.push(hit)
    before = hit.foldedFrom
  }
}

async function patternHits(
  scan: ScanText,
  key: string,
  source: string,
  failed: Set<string>,
  room: number,
): Promise<KeyHit[]> {
  try {
    const pattern = { source, isCaseSensitive: false, replacement: '' }
    const [found = []] = await findPattern([scan.plain], pattern, Math.max(1, room), patternTimeoutMs)
    const end = scan.source.length
    return found
      .filter(({ from, to }) => to > from)
      .map(({ from, to }) => ({
        key,
        from: scan.plainOffsets[from] ?? end,
        to: scan.plainOffsets[to] ?? end,
      }))
  } catch (error) {
    if (!isAppError(error, 'find/bad-pattern') && !isAppError(error, 'find/too-slow')) throw error
    failed.add(key)
    return []
  }
}
