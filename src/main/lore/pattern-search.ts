import { contentHash } from '../platform/files/content-hash.ts'
import { type AskedThread, startThread, ThreadLimitError } from '../platform/node/limited-thread.ts'
import { foldedPattern, type KeyHit, type ScanText, sourceSpan } from './match-lore.ts'

/** Time limit of one expression in all texts of a call; the thread that exceeds it is ended. Units: ms. */
const patternTimeoutMs = 300
const limitMb = 512
/** Number of expressions that took too long after which the remaining ones of a matching are not tried. */
const limitSlow = 10
/** Longest texts in which alternations of plain words are looked for without a thread. Units: UTF-16. */
const limitInlineChars = 50_000
const flags = 'gmiu'
/** Words, with escaped signs, between bars: such an expression cannot backtrack without end. */
const word = String.raw`(?:[^\\^$.*+?()[\]{}|/]|\\[\\^$.*+?()[\]{}|/])+`
const plainAlternation = new RegExp(String.raw`^(?:${word}(?:\|${word})*|\(\?:${word}(?:\|${word})*\))$`, 'u')

type Failure = 'bad-pattern' | 'slow-pattern'
type PatternResult = KeyHit | 'none' | 'slow-pattern' | 'not-tried'
/** Half-open UTF-16 positions of the first hit that is not empty. */
type Span = { from: number; to: number } | null

/** Looks for the keys of one matching that are expressions. Shape: keys that are literal are passed over. */
export type PatternSearch = ReturnType<ReturnType<typeof createPatternSearches>>

/** Returns a function that begins a search. `start`: starts the thread, which searches begin with when they need it. */
export function createPatternSearches(timeoutMs = patternTimeoutMs, start: typeof startThread = startThread) {
  /** By text and expression; only those of the last search are kept. */
  let known = new Map<string, PatternResult>()
  /** Expressions that did not end in time are not tried again. */
  const slow = new Set<string>()

  return () => {
    const results = new Map<string, PatternResult>()
    const hashes = new WeakMap<ScanText, string>()
    let thread: AskedThread | undefined
    let slowCount = 0

    const idOf = (scan: ScanText, key: string): string => {
      const hash = hashes.get(scan) ?? contentHash(Buffer.from(scan.folded))
      hashes.set(scan, hash)
      return `${hash} ${key}`
    }

    /** Looks for one expression in several texts; returns why it cannot be told where that is so. */
    async function find(source: string, texts: readonly string[]) {
      if (slow.has(source)) return 'slow-pattern'
      const chars = texts.reduce((sum, text) => sum + text.length, 0)
      if (chars <= limitInlineChars && plainAlternation.test(source))
        return texts.map((text) => firstSpan(text, source))
      if (slowCount >= limitSlow) return 'not-tried'
      try {
        thread ??= start(script, { ms: timeoutMs, mb: limitMb })
        return (await thread.ask({ source, texts })) as Span[]
      } catch (error) {
        // The thread has ended; the next expression starts another one.
        thread = undefined
        if (!(error instanceof ThreadLimitError)) throw error
        slow.add(source)
        slowCount += 1
        return 'slow-pattern'
      }
    }

    return {
      /** Looks for each key in each text. What is known of them already is not looked for again. */
      async look(scans: readonly ScanText[], keys: Iterable<string>): Promise<void> {
        const filled = scans.filter(({ folded }) => folded !== '')
        for (const key of new Set(keys)) {
          const source = foldedPattern(key)
          if (source === undefined || isBad(source)) continue
          const unknown: ScanText[] = []
          for (const scan of filled) {
            const id = idOf(scan, key)
            const result = results.get(id) ?? known.get(id)
            if (result === undefined || result === 'not-tried') unknown.push(scan)
            else results.set(id, result)
          }
          if (unknown.length === 0) continue
          const found = await find(
            source,
            unknown.map(({ folded }) => folded),
          )
          for (const [at, scan] of unknown.entries()) {
            const result = typeof found === 'string' ? found : hitIn(scan, key, found[at] ?? null)
            results.set(idOf(scan, key), result)
          }
        }
      },

      /** Returns the place of a key that was looked for and found. */
      hitOf(scan: ScanText, key: string): KeyHit | undefined {
        const result = results.get(idOf(scan, key))
        return typeof result === 'object' ? result : undefined
      },

      /** Returns why keys were not found where an expression is wrong, or did not end in time. */
      failures(keys: Iterable<string>): Map<string, Failure> {
        const failed = new Map<string, Failure>()
        for (const [id, result] of results) {
          if (result !== 'slow-pattern' && result !== 'not-tried') continue
          failed.set(id.slice(id.indexOf(' ') + 1), 'slow-pattern')
        }
        for (const key of keys) {
          const source = foldedPattern(key)
          if (source !== undefined && isBad(source)) failed.set(key, 'bad-pattern')
        }
        return failed
      },

      /** Ends the thread. The results stay known to the next search. */
      async end(): Promise<void> {
        known = results
        await thread?.end()
      },
    }
  }
}

function isBad(source: string): boolean {
  try {
    new RegExp(source, flags)
    return false
  } catch {
    return true
  }
}

function firstSpan(text: string, source: string): Span {
  const match = new RegExp(source, flags).exec(text)
  return match === null ? null : { from: match.index, to: match.index + match[0].length }
}

function hitIn(scan: ScanText, key: string, span: Span): KeyHit | 'none' {
  return span === null ? 'none' : { key, ...sourceSpan(scan, span) }
}

/** Script of the thread: answers an expression with its first hit in each text. */
const script = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ source, texts }) => {
  const pattern = new RegExp(source, '${flags}')
  const first = (text) => {
    for (const match of text.matchAll(pattern))
      if (match[0] !== '') return { from: match.index, to: match.index + match[0].length }
    return null
  }
  parentPort.postMessage(texts.map(first))
})
parentPort.postMessage(null)
`
