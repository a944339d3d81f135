import { AppError } from '../../../shared/errors.ts'
import { runInThread, ThreadLimitError } from '../node/limited-thread.ts'

/** Time after which the thread is ended, since an expression may backtrack without end. */
const patternTimeoutMs = 3_000
const limitMb = 512
/** Total length of the replacements, which an answer repeats for each hit. Units: UTF-16. */
export const limitInserted = 20_000_000

/** Units: half-open UTF-16 positions. */
export type PatternHit = { from: number; to: number; insert: string }

/**
 * Finds a regular expression in texts, in its own thread, since an expression cannot be stopped otherwise.
 *
 * Shape: the hits of each text, in order; empty hits are left out. `limit` and `limitInserted` hold for all texts
 * together; the hit that reaches one of them is the last.
 * Errors: `find/bad-pattern`, `find/too-slow`.
 */
export async function findPattern(
  texts: readonly string[],
  pattern: { source: string; isCaseSensitive: boolean; replacement: string },
  limit: number,
  timeoutMs: number = patternTimeoutMs,
): Promise<PatternHit[][]> {
  const flags = `gmu${pattern.isCaseSensitive ? '' : 'i'}`
  try {
    new RegExp(pattern.source, flags)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw new AppError({ code: 'find/bad-pattern', reason }, { cause: error })
  }
  const workerData = {
    texts,
    source: pattern.source,
    flags,
    replacement: pattern.replacement,
    limit,
    limitInserted,
  }
  return runInThread<PatternHit[][]>(script, workerData, { ms: timeoutMs, mb: limitMb }).catch(
    (error: unknown) => {
      throw error instanceof ThreadLimitError ? new AppError({ code: 'find/too-slow', timeoutMs }) : error
    },
  )
}

/** Script of the thread. Fills groups into the replacement as `String.prototype.replace` does. */
const script = `
const { parentPort, workerData } = require('node:worker_threads')
parentPort.postMessage(null)
const { texts, source, flags, replacement, limit, limitInserted } = workerData
const pattern = new RegExp(source, flags)
const filled = (match) =>
  replacement.replace(/\\$(?:(\\$)|(&)|(\\d{1,2})|<([^>]*)>)/g, (whole, dollar, all, number, name) => {
    if (dollar) return '$'
    if (all) return match[0]
    if (number !== undefined) return Number(number) > 0 && Number(number) < match.length ? (match[Number(number)] ?? '') : whole
    return match.groups === undefined ? whole : (match.groups[name] ?? '')
  })
let count = 0
let inserted = 0
const isFull = () => count >= limit || inserted >= limitInserted
const found = texts.map((text) => {
  const hits = []
  if (isFull()) return hits
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue
    const insert = filled(match)
    hits.push({ from: match.index, to: match.index + match[0].length, insert })
    count += 1
    inserted += insert.length
    if (isFull()) break
  }
  return hits
})
parentPort.postMessage(found)
`
