import { AppError } from '../../../shared/errors.ts'
import { type AskedThread, startThread, ThreadLimitError } from '../node/limited-thread.ts'

/** Time after which the thread is ended, since an expression may backtrack without end. */
const patternTimeoutMs = 3_000
const limitMb = 512
/** Total length of the replacements, which an answer repeats for each hit. Units: UTF-16. */
export const limitInserted = 20_000_000

/** Units: half-open UTF-16 positions. */
export type PatternHit = { from: number; to: number; insert: string }

type Pattern = { source: string; isCaseSensitive: boolean; replacement: string }

/** Finds regular expressions, one after another, in one thread, since an expression cannot be stopped otherwise. */
export type PatternFinder = ReturnType<typeof createPatternFinder>

/** `timeoutMs` holds for each expression. `start` starts a thread. */
export function createPatternFinder(
  timeoutMs: number = patternTimeoutMs,
  start: typeof startThread = startThread,
) {
  let thread: AskedThread | undefined
  return {
    /**
     * Finds an expression in texts. The thread is started by the first one, and again behind one that takes too long.
     *
     * Shape: the hits of each text, in order; empty hits are left out. `limit` and `limitInserted` hold for all texts
     * together; the hit that reaches one of them is the last.
     * Errors: `find/bad-pattern`, `find/too-slow`.
     */
    async find(
      texts: readonly string[],
      { source, isCaseSensitive, replacement }: Pattern,
      limit: number,
    ): Promise<PatternHit[][]> {
      const flags = `gmu${isCaseSensitive ? '' : 'i'}`
      try {
        new RegExp(source, flags)
      } catch (error) {
        const reason = error instanceof Error ? error.message : ''
        throw new AppError({ code: 'find/bad-pattern', reason }, { cause: error })
      }
      thread ??= start(script, { ms: timeoutMs, mb: limitMb })
      try {
        const request = { texts, source, flags, replacement, limit, limitInserted }
        return (await thread.ask(request)) as PatternHit[][]
      } catch (error) {
        // The thread has ended.
        thread = undefined
        throw error instanceof ThreadLimitError ? new AppError({ code: 'find/too-slow', timeoutMs }) : error
      }
    },
    /** Ends the thread, if one was started. */
    async end(): Promise<void> {
      await thread?.end()
    },
  }
}

/** Finds one regular expression in texts. Starts a thread for it and ends the thread. Errors: as `PatternFinder`. */
export async function findPattern(
  texts: readonly string[],
  pattern: Pattern,
  limit: number,
  timeoutMs: number = patternTimeoutMs,
): Promise<PatternHit[][]> {
  const finder = createPatternFinder(timeoutMs)
  try {
    return await finder.find(texts, pattern, limit)
  } finally {
    await finder.end()
  }
}

/** Script of the thread. Fills groups into the replacement as `String.prototype.replace` does. */
const script = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', (given) => parentPort.postMessage(find(given)))
parentPort.postMessage(null)

function find({ texts, source, flags, replacement, limit, limitInserted }) {
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
  return texts.map((text) => {
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
}
`
