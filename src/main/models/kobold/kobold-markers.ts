import { z } from 'zod'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { type FindMarkers, longestMarker } from '../completion/marker-check.ts'
import { candidatesIn } from '../completion/marker-forms.ts'
import type { KoboldHttp } from './kobold-http.ts'

const TokenIds = z.object({ ids: z.array(z.int()) })
const WrittenOut = z.object({ result: z.string() })

export type KoboldTokenizer = {
  /** Counts the tokens of a text, special ones parsed. */
  count(text: string, signal: AbortSignal): Promise<number>
  /** True where this version turns tokens into text; undefined where it did not answer in time. */
  canWriteOut(signal: AbortSignal): Promise<boolean | undefined>
  /** Turns a text into tokens and these into text again, without control tokens. */
  writeOut(text: string, signal: AbortSignal): Promise<string>
}

/** Number of unknown strings of one prompt that are tested one by one. */
const limitCandidates = 100
/** Length of a text that has no more tokens than the server can count. */
const limitText = 12_000
/** Number of characters after a gap that are enough to find where the text goes on. */
const sampleLength = 16

/**
 * Finds control tokens by KoboldCpp's tokenizer. It always parses special tokens, and writes nothing for a control
 * token when it turns tokens into text: the missing parts are the control tokens.
 *
 * Shape: in versions without that path each string in the form of a control token is counted once: one token if it is.
 */
export function koboldMarkers(tokenizer: KoboldTokenizer): FindMarkers {
  const asked = new Set<string>()
  let writesOut: boolean | undefined

  /** Returns the shortest beginning of `text` that is one token and writes nothing; else `text`. */
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
    // The gap has more than a control token: it is examined by itself, as long as it is shorter than the text.
    const [whole = ''] = gap
    return whole.length < text.length ? missing(whole, signal) : [whole]
  }

  async function missing(text: string, signal: AbortSignal): Promise<string[]> {
    const found = new Set<string>()
    for (let from = 0; from < text.length; from += limitText) {
      const part = text.slice(from, from + limitText + longestMarker).toWellFormed()
      const written = await tokenizer.writeOut(part, signal)
      const gaps = gapsOf(part, written)
      // The answer belongs to another call, which counted at the same moment: the result is not known.
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
 * Returns the parts of `text` that are missing in `written`, each with its rotations: where `abab` lost an `ab`, it may
 * have been a `ba`. Null: `written` is another text.
 *
 * Shape: spaces do not count: some vocabularies insert one at the beginning of a text and after a control token.
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

/** Returns how much is missing at the start of `text`: the length after which the most characters match `written`. */
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
 * Returns the tokens of a text, turned into text. Control tokens write nothing. The ids may be another call's, as with
 * all counts.
 *
 * Source: KoboldCpp, `POST /api/extra/detokenize`, `{ids}` → `{result}`; special tokens are not rendered.
 */
export async function writtenOut(http: KoboldHttp, prompt: string, signal: AbortSignal): Promise<string> {
  const { ids } = await http.post('/api/extra/tokencount', { prompt, special: false }, TokenIds, signal)
  return (await http.post('/api/extra/detokenize', { ids }, WrittenOut, signal)).result
}

/** Time limit: a version that does not know the path lets the request wait for the model. Units: ms. */
const limitProbeMs = 1_000

/** True where this version supports `writtenOut`; undefined where it did not answer in time. */
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
