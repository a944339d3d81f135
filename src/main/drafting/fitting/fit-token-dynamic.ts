import { isContinued } from '../prompt/body-lines.ts'
import {
  type BodyRate,
  cachedRate,
  estimatedTotal,
  type FitCache,
  type Fitting,
  measureBody,
  promptFrom,
} from './body-room.ts'
import { LARGEST_ANSWER } from './token-meter.ts'

/** The place where a body is cut, and the tokens of its prompt. Units: code points. `recentTokens`: as in `FittedPrompt`. */
export type Cut = { cutChars: number; tokens: number; rate?: BodyRate; recentTokens?: number }
/** Nothing fits. Units: tokens of the shortest prompt that was counted. */
export type NoCut = { usedTokens: number }

/** The prompt is counted in pieces only where its estimate exceeds the room by at most this factor. */
const MAY_FIT_FACTOR = 1.1

/**
 * Cuts the body's head in steps until the prompt fits: the seed's search with few requests.
 *
 * Cold: the whole prompt and the body are counted, then the cuts around the expected one. Warm: only the cuts.
 * Source: *Novel prompts* 2.3, `docs/decisions/drafting.md`, "Fitting the context".
 */
export async function fitTokenDynamic(fitting: Fitting): Promise<Cut | NoCut> {
  const { body, meter, availableTokens } = fitting
  const whole = promptFrom(fitting, 0).parts
  const cached = cachedRate(fitting)

  let promptTokens: number | undefined
  if (cached === undefined || estimatedTotal(fitting, cached) <= availableTokens) {
    promptTokens = await meter.once(whole)
    if (promptTokens <= availableTokens) return { cutChars: 0, tokens: promptTokens, ...withRate(cached) }
  }
  const rate = cached ?? (await measureBody(fitting, body, promptTokens ?? Number.POSITIVE_INFINITY))
  if (promptTokens === Number.POSITIVE_INFINITY && availableTokens > LARGEST_ANSWER) {
    if (estimatedTotal(fitting, rate) <= availableTokens * MAY_FIT_FACTOR) {
      promptTokens = await meter.total(whole)
      if (promptTokens <= availableTokens) return { cutChars: 0, tokens: promptTokens, rate }
    }
  }

  const availableForBody = availableTokens - rate.restTokens
  if (availableForBody <= 0 && cached !== undefined) return fitTokenDynamic(withoutCache(fitting))
  if (availableForBody <= 0) return { usedTokens: promptTokens ?? Number.POSITIVE_INFINITY }
  return searchCuts(fitting, { rate, kept: cached?.kept, promptTokens, availableForBody })
}

type Search = {
  rate: BodyRate
  kept: FitCache['kept']
  /** Absent: only estimated, so that the whole prompt is a candidate like any other. */
  promptTokens: number | undefined
  availableForBody: number
}

async function searchCuts(fitting: Fitting, search: Search): Promise<Cut | NoCut> {
  const { body, meter, availableTokens } = fitting
  const { stepChars, offsetChars } = fitting.request.settings
  const { rate, promptTokens, kept } = search
  const expectedChars = search.availableForBody / rate.tokensPerChar
  const start = Math.max(0, body.length - Math.trunc(expectedChars) - offsetChars)
  const cutChars = (cut: number) => start + cut * stepChars
  const keptChars = kept
    ? kept.chars + ((availableTokens - kept.tokens) * kept.chars) / Math.max(1, kept.tokens - rate.restTokens)
    : Math.trunc(expectedChars)

  const counts = new Map<number, number>()
  const probe = async (cut: number): Promise<number> => {
    const tokens = counts.get(cut) ?? (await meter.total(promptFrom(fitting, cutChars(cut)).parts))
    counts.set(cut, tokens)
    return tokens
  }
  const row = {
    last: Math.ceil((body.length - start) / stepChars) - 1,
    availableTokens,
    probe,
    // The last count leads to the right cut; an average rate is too optimistic.
    guess: (kept ? Math.round : Math.ceil)((body.length - keptChars - start) / stepChars),
    tokensPerCut: (cut: number, tokens: number) => {
      const local = (tokens - rate.restTokens) / (body.length - cutChars(cut))
      return stepChars * (local > 0 ? local : rate.tokensPerChar)
    },
    known: new Map(start === 0 && promptTokens !== undefined ? [[0, promptTokens]] : []),
  }
  let found = await findFirstFit(row)

  // Where the cut turns a continuation into a beginning, blank lines at the end come back and the total may jump up.
  const lastContinued = lastContinuedCut(fitting, row.last, cutChars)
  if (lastContinued >= 0 && (found.fit === undefined || found.fit.cut > lastContinued + 1)) {
    const earlier = await findFirstFit({ ...row, last: lastContinued, guess: lastContinued })
    if (earlier.fit !== undefined) found = earlier
  }

  const { fit } = found
  if (fit === undefined)
    return { usedTokens: Math.min(found.smallestTokens, promptTokens ?? Number.POSITIVE_INFINITY) }
  if (fit.cut === 0 && start > 0 && promptTokens === undefined) {
    const wholeTokens = await meter.total(promptFrom(fitting, 0).parts)
    if (wholeTokens <= availableTokens) return { cutChars: 0, tokens: wholeTokens, rate }
  }
  return { cutChars: cutChars(fit.cut), tokens: fit.tokens, rate }
}

/** Returns the last cut whose body is still continued; -1 when none is. */
function lastContinuedCut(fitting: Fitting, last: number, cutChars: (cut: number) => number): number {
  let continued = -1
  let begun = last + 1
  while (begun - continued > 1) {
    const middle = Math.floor((continued + begun) / 2)
    if (isContinued(fitting.body.from(cutChars(middle)))) continued = middle
    else begun = middle
  }
  return continued
}

function withoutCache(fitting: Fitting): Fitting {
  const { cache: _, ...request } = fitting.request
  return { ...fitting, request }
}

function withRate(rate: BodyRate | undefined): { rate?: BodyRate } {
  return rate === undefined ? {} : { rate }
}

/** Units: tokens. How much less an earlier cut may count than a later one; seen on two real vocabularies. */
const EPSILON_TOKENS = 4
const SECANT_PROBES = 4

/** A sequence of cuts, each of which drops more of the body than the one before. */
export type CutRow = {
  /** Index of the last cut; the first is 0. */
  last: number
  availableTokens: number
  /** Counts the prompt of a cut. Units: tokens; `Infinity` is more than available. */
  probe(cut: number): Promise<number>
  guess: number
  /** How many tokens one more cut is expected to save near a counted one. */
  tokensPerCut(cut: number, tokens: number): number
  known?: ReadonlyMap<number, number>
}

type FirstFit = { fit?: { cut: number; tokens: number }; smallestTokens: number }

/**
 * Finds the first cut that fits, counting few of them.
 *
 * Returned: a cut counted ≤ available whose predecessor was counted above it, or does not exist. It is the one a
 * linear search finds whenever no earlier cut counts more than 4 tokens below a later one.
 * Source: `docs/decisions/drafting.md`, "Fitting the context".
 */
export async function findFirstFit(row: CutRow): Promise<FirstFit> {
  const { availableTokens, last } = row
  const counted = new Map(row.known)
  const count = async (cut: number): Promise<number> => {
    const tokens = counted.get(cut) ?? (await row.probe(cut))
    counted.set(cut, tokens)
    return tokens
  }

  let low = -1
  let high = last + 1
  for (const [cut, tokens] of counted) if (tokens > availableTokens) low = Math.max(low, cut)
  let next = clamp(row.guess, low + 1, last)
  for (let probes = 1; high - low > 1; probes++) {
    const tokens = await count(next)
    if (tokens <= availableTokens) high = next
    else low = next
    const isSecant = probes <= SECANT_PROBES
    const target = isSecant ? secant(row, counted, low, high, next) : undefined
    next = clamp(target ?? middle(low, high, last), low + 1, high - 1)
  }

  while (high <= last && high > 0) {
    const before = await lastFitBefore(count, high, availableTokens)
    if (before === undefined) break
    high = before
  }
  const tokens = counted.get(high)
  return {
    ...(high <= last && tokens !== undefined ? { fit: { cut: high, tokens } } : {}),
    smallestTokens: Math.min(...counted.values()),
  }
}

/** Looks for an earlier fit behind predecessors that are only a little too long. */
async function lastFitBefore(count: (cut: number) => Promise<number>, fit: number, availableTokens: number) {
  for (let cut = fit - 1; cut >= 0; cut--) {
    const tokens = await count(cut)
    if (tokens <= availableTokens) return cut
    if (tokens > availableTokens + EPSILON_TOKENS) return undefined
  }
  return undefined
}

/**
 * Returns the cut nearest to where the line through two counted cuts (or through one, at the expected slope) reaches
 * the available tokens: one more count next to it usually settles the search.
 */
function secant(
  row: CutRow,
  counted: ReadonlyMap<number, number>,
  low: number,
  high: number,
  latest: number,
) {
  const lowTokens = counted.get(low) ?? Number.POSITIVE_INFINITY
  const highTokens = counted.get(high)
  if (highTokens !== undefined && Number.isFinite(lowTokens)) {
    const share = (lowTokens - row.availableTokens) / (lowTokens - highTokens)
    return Math.round(low + share * (high - low))
  }
  const tokens = counted.get(latest)
  if (tokens === undefined || !Number.isFinite(tokens)) return undefined
  const slope = row.tokensPerCut(latest, tokens)
  return slope > 0 ? Math.round(latest + (tokens - row.availableTokens) / slope) : undefined
}

/** Returns the next cut without a secant: steps double towards an unknown end, and halve between two counted cuts. */
function middle(low: number, high: number, last: number): number {
  return high > last && low >= 0 ? Math.min(last, 2 * low + 1) : Math.floor((low + high) / 2)
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
