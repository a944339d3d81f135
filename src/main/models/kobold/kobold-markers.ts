import { z } from 'zod'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { type FindMarkers, longestMarker } from '../completion/marker-check.ts'
import { candidatesIn } from '../completion/marker-forms.ts'
import type { KoboldHttp } from './kobold-http.ts'

const TokenIds = z.object({ ids: z.array(z.int()) })
const WrittenOut = z.object({ result: z.string() })

export type KoboldTokenizer = {
  /** How many tokens a text is, special ones parsed. */
  count(text: string, signal: AbortSignal): Promise<number>
  /** Whether this version turns tokens into text; undefined where it did not answer in time. */
  canWriteOut(signal: AbortSignal): Promise<boolean | undefined>
  /** What its tokens are as text, control tokens left out. */
  writeOut(text: string, signal: AbortSignal): Promise<string>
}

/** How many unknown strings of one prompt are asked about one by one. */
const limitCandidates = 100
/** A text whose tokens are no more than the server counts. */
const limitText = 12_000
/** What may be told apart from its neighbours by so many characters. */
const sampleLength = 16

/**
 * Finds control tokens by KoboldCpp's tokenizer. It always parses special tokens, and writes nothing for a control
 * token when it turns tokens into text: what is missing then are the control tokens.
 *
 * Shape: versions without that path count what has the form of a control token, each string once: it is one token.
 */
export function koboldMarkers(tokenizer: KoboldTokenizer): FindMarkers {
  const asked = new Set<string>()
  let writesOut: boolean | undefined

  /** The shortest beginning of `text` that is one token and writes nothing; else `text`. */
  async function firstOf(text: string, signal: AbortSignal): Promise<string> {
    for (const [index, letter] of [...text].entries()) {
      const start = [...text].slice(0, index + 1).join('')
      if (letter.trim() === '' || (await tokenizer.count(start, signal)) !== 1) continue
      if ((await tokenizer.writeOut(start, signal)).trim() === '') return start
    }
    return text
  }

  async function inGap(gap: string[], text: string, signal: AbortSignal): Promise<string[]> {
    for (const turned of gap) {
      if ((await tokenizer.writeOut(turned, signal)).trim() === '') return [await firstOf(turned, signal)]
    }
    // More than a control token: looked at by itself, as far as it gets shorter.
    const [whole = ''] = gap
    return whole.length < text.length ? missing(whole, signal) : [whole]
  }

  async function missing(text: string, signal: AbortSignal): Promise<string[]> {
    const found = new Set<string>()
    for (let from = 0; from < text.length; from += limitText) {
      const part = text.slice(from, from + limitText + longestMarker).toWellFormed()
      const written = await tokenizer.writeOut(part, signal)
      const gaps = gapsOf(part, written)
      // Of another call, which counted at the same moment: nobody knows.
      if (gaps === null) throw new AppError({ code: 'tokens/unreachable' })
      for (const gap of gaps) for (const each of await inGap(gap, part, signal)) found.add(each)
    }
    return [...found]
  }

  return async (text, signal) => {
    const found: string[] = []
    for (const one of candidatesIn(text)
      .filter((each) => !asked.has(each))
      .slice(0, limitCandidates)) {
      if ((await tokenizer.count(one, signal)) === 1) found.push(one)
      else asked.add(one)
    }
    writesOut ??= await tokenizer.canWriteOut(signal)
    return writesOut === true ? [...found, ...(await missing(text, signal))] : found
  }
}

/**
 * What of `text` is missing in `written`, each gap with the same one turned: where `abab` lost an `ab`, it may have been
 * a `ba`. Null: `written` is another text.
 *
 * Shape: spaces do not count. Some vocabularies begin every text with one, and what follows a control token.
 */
function gapsOf(text: string, written: string): string[][] | null {
  const places = [...text.matchAll(/[^ ]/g)].map(({ index }) => index)
  const [from, to] = [text.replaceAll(' ', ''), written.replaceAll(' ', '')]
  const gaps: string[][] = []
  let at = 0
  for (let i = 0; i < from.length; ) {
    if (from[i] === to[at]) {
      i += 1
      at += 1
      continue
    }
    const length = gapLength(from.slice(i, i + longestMarker + sampleLength), to.slice(at, at + sampleLength))
    if (length === null) return null
    const turned: string[] = []
    for (let back = 0; back <= Math.min(i, length - 1); back += 1) {
      if (from.slice(i - back, i) !== from.slice(i + length - back, i + length)) break
      turned.push(text.slice(places[i - back], (places[i - back + length - 1] ?? 0) + 1))
    }
    gaps.push(turned)
    i += length
  }
  return at === to.length ? gaps : null
}

/** How much is missing at the start of `text`: after it, the most characters are as in `written`. */
function gapLength(text: string, written: string): number | null {
  if (written === '') return text.length <= longestMarker ? text.length : null
  let best: number | null = null
  let bestRun = 0
  for (let length = 1; length <= Math.min(longestMarker, text.length); length += 1) {
    let run = 0
    while (run < written.length && text[length + run] === written[run]) run += 1
    if (run > bestRun) [best, bestRun] = [length, run]
  }
  return best
}

/**
 * A text as its tokens are written out. Control tokens write nothing. The ids may be another call's, as it is with
 * all counts.
 *
 * Source: KoboldCpp, `POST /api/extra/detokenize`, `{ids}` → `{result}`; special tokens are not rendered.
 */
export async function writtenOut(http: KoboldHttp, prompt: string, signal: AbortSignal): Promise<string> {
  const { ids } = await http.post('/api/extra/tokencount', { prompt, special: false }, TokenIds, signal)
  return (await http.post('/api/extra/detokenize', { ids }, WrittenOut, signal)).result
}

/** A version that does not know the path lets it wait for the model. Units: ms. */
const limitProbeMs = 1_000

/** Whether this version has `writtenOut`; undefined where it did not answer in time. */
export async function canWriteOut(http: KoboldHttp, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    await http.post('/api/extra/detokenize', { ids: [] }, WrittenOut, signal, limitProbeMs)
    return true
  } catch (error) {
    if (isAppError(error, 'model/bad-response')) return false
    if (isAppError(error, 'model/timeout')) return undefined
    throw error
  }
}
