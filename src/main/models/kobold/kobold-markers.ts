import { AppError } from '../../../shared/errors.ts'
import { type FindMarkers, longestMarker } from '../completion/marker-check.ts'
import { candidatesIn } from '../completion/marker-forms.ts'
import type { RequestQueue } from '../completion/request-queue.ts'
import type { KoboldApi } from './kobold-api.ts'

/** Number of unknown strings of one prompt that are tested one by one. */
const limitCandidates = 100
/** Length of a text that has no more tokens than the server can count. */
const limitText = 12_000
/** Number of characters after a gap that are enough to find where the text goes on. */
const sampleLength = 16

/**
 * Finds control tokens by KoboldCpp's `/api/extra/detokenize`. The server always parses special tokens, and writes nothing
 * for a control token when it turns tokens into text: the missing parts are the control tokens.
 *
 * Shape: in versions without that path each string in the form of a control token is counted once: one token if it is.
 * `counts`: the queue in which the client's counts wait, too, since the server mixes up parallel ones.
 */
export function koboldMarkers(api: KoboldApi, counts: RequestQueue): FindMarkers {
  const asked = new Set<string>()
  let writesOut: boolean | undefined
  const count = (text: string, signal: AbortSignal) =>
    counts.run('foreground', signal, () => api.countTokens(text, false, signal))
  const writeOut = (text: string, signal: AbortSignal) =>
    counts.run('foreground', signal, () => api.writeOut(text, signal))

  /** Returns the shortest beginning of `text` that is one token and writes nothing; else `text`. */
  async function firstOf(text: string, signal: AbortSignal): Promise<string> {
    for (const [index, letter] of [...text].entries()) {
      const start = [...text].slice(0, index + 1).join('')
      if (letter.trim() === '' || (await count(start, signal)) !== 1) continue
      if ((await writeOut(start, signal)).trim() === '') return start
    }
    return text
  }

  async function inGap(gap: string[], text: string, signal: AbortSignal): Promise<string[]> {
    for (const turned of gap) {
      if ((await writeOut(turned, signal)).trim() === '') return [await firstOf(turned, signal)]
    }
    // The gap has more than a control token: it is examined by itself, as long as it is shorter than the text.
    const [whole = ''] = gap
    return whole.length < text.length ? missing(whole, signal) : [whole]
  }

  async function missing(text: string, signal: AbortSignal): Promise<string[]> {
    const found = new Set<string>()
    for (let from = 0; from < text.length; from += limitText) {
      const part = text.slice(from, from + limitText + longestMarker).toWellFormed()
      const written = await writeOut(part, signal)
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
      if ((await count(one, signal)) === 1) found.push(one)
      else asked.add(one)
    }
    writesOut ??= await api.canWriteOut(signal)
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
