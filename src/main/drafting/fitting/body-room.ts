import type { DraftAnchor } from '../../../shared/domain/drafting/draft-preview.ts'
import type { DraftSettings, SettledFitMode } from '../../../shared/domain/drafting/draft-settings.ts'
import { AppError } from '../../../shared/errors.ts'
import { type CodePointIndex, countCodePoints } from '../../../shared/text/code-points.ts'
import { type BuiltPrompt, buildPrompt, joinParts, type PromptFrame } from '../prompt/build-prompt.ts'
import type { RolledDraft } from '../prompt/roll-draft.ts'
import type { TokenCounter, TokenMeter } from './token-meter.ts'

/** A fitting in progress: the request, its body by code points, its counter. */
export type Fitting = {
  request: FitRequest
  body: CodePointIndex
  meter: TokenMeter
  availableTokens: number
}

/** Tokens per character of a body, and tokens of everything else in the prompt. */
export type BodyRate = { tokensPerChar: number; restTokens: number }

/** Largest tail of a body that is measured where the whole body cannot be counted. Units: code points. */
const LARGEST_WINDOW = 32_000
/** A cache is valid as long as at most this share of the body, at its end, is new. */
const CHANGED_SHARE = 0.2

export function promptFrom(fitting: Fitting, cutChars: number): BuiltPrompt {
  return buildPrompt(fitting.request.frame, fitting.body.from(cutChars))
}

/** Counts what a body costs, all of it where its prompt could be counted. */
export async function measureBody(fitting: Fitting, body: CodePointIndex, promptTokens: number) {
  if (Number.isFinite(promptTokens)) {
    const bodyTokens = await countBody(fitting, body.text)
    if (Number.isFinite(bodyTokens))
      return { tokensPerChar: bodyTokens / body.length, restTokens: promptTokens - bodyTokens }
  }
  return measureWindow(fitting, body)
}

/** Takes the rate from the longest tail that can be counted, body and prompt. */
async function measureWindow(fitting: Fitting, body: CodePointIndex): Promise<BodyRate> {
  for (let windowChars = LARGEST_WINDOW; windowChars >= 1; windowChars = Math.floor(windowChars / 2)) {
    if (windowChars / 2 >= body.length) continue
    const window = body.from(Math.max(0, body.length - windowChars))
    const bodyTokens = await countBody(fitting, window)
    if (!Number.isFinite(bodyTokens)) continue
    const promptTokens = await fitting.meter.once(buildPrompt(fitting.request.frame, window).parts)
    if (!Number.isFinite(promptTokens)) continue
    const chars = Math.min(windowChars, body.length)
    return { tokensPerChar: bodyTokens / chars, restTokens: promptTokens - bodyTokens }
  }
  throw new AppError({ code: 'tokens/unreachable' })
}

function countBody(fitting: Fitting, text: string): Promise<number> {
  return fitting.meter.once([{ origin: 'body', text }])
}

/** Returns the rate of the last fitting, with the rest adjusted by its length; undefined for another body. */
export function cachedRate(fitting: Fitting): (BodyRate & { kept: FitCache['kept'] }) | undefined {
  const { cache, draft } = fitting.request
  if (cache === undefined) return undefined
  const longest = Math.max(cache.body.length, draft.body.length)
  const shared = Math.ceil(longest * (1 - CHANGED_SHARE))
  if (Math.min(cache.body.length, draft.body.length) < shared) return undefined
  if (!draft.body.startsWith(cache.body.slice(0, shared))) return undefined
  const newRestTokens = (restChars(fitting) - cache.restChars) * cache.tokensPerChar
  return {
    tokensPerChar: cache.tokensPerChar,
    restTokens: cache.restTokens + newRestTokens,
    kept: cache.kept && { chars: cache.kept.chars, tokens: cache.kept.tokens + newRestTokens },
  }
}

export function cacheOf(fitting: Fitting, rate: BodyRate, kept: FitCache['kept']): FitCache {
  return {
    body: fitting.body.text,
    restChars: restChars(fitting),
    tokensPerChar: rate.tokensPerChar,
    restTokens: rate.restTokens,
    ...(kept === undefined ? {} : { kept }),
  }
}

function restChars(fitting: Fitting): number {
  return countCodePoints(joinParts(promptFrom(fitting, 0).parts)) - fitting.body.length
}

export function estimatedTotal(fitting: Fitting, rate: BodyRate): number {
  return rate.restTokens + rate.tokensPerChar * fitting.body.length
}

/** A draft and the room for its prompt. */
export type FitRequest = {
  frame: PromptFrame
  draft: RolledDraft
  settings: Pick<DraftSettings, 'stepChars' | 'offsetChars' | 'maxBodyChars'> & { fitMode: SettledFitMode }
  /** The context window as the server or the profile gives it now; undefined where neither does. */
  contextTokens: number | undefined
  outputTokens: number
  counter: TokenCounter
  signal: AbortSignal
  /** Cache of the last fitting of this work with this model; saves counting what has hardly changed. */
  cache?: FitCache
  /** Anchor of the work; only for `anchored`. */
  anchor?: DraftAnchor
  /**
   * The change that a move of the anchor makes besides the body: `addedTokens` of standing lore and story, in place of
   * all that the prompt has of them, and room for newly matched lore. Absent: neither changes from page to page.
   */
  memory?: { addedTokens: number; recentTokens: number }
}

/** Measures of one fitting for the next. Keep it for one work and one model; drop it when either changes. */
export type FitCache = {
  body: string
  /** Code points of the prompt besides the body's. */
  restChars: number
  tokensPerChar: number
  restTokens: number
  /** The last returned cut: code points of the body that were kept, and the counted total. */
  kept?: { chars: number; tokens: number }
}

/** A prompt that may be sent: its own total was counted (or estimated, labelled) and is not above what is available. */
export type FittedPrompt = {
  prompt: BuiltPrompt
  totalTokens: number
  availableTokens: number
  contextTokens: number
  isEstimate: boolean
  /** Units: code points. */
  bodyChars: number
  keptChars: number
  /** True where less than half and under 2,500 characters are left: the author is told once per work. */
  isShortened: boolean
  requestCount: number
  cache: FitCache | undefined
  /** Room for newly matched lore until the anchor moves again; absent where it has not moved. Units: tokens. */
  recentTokens?: number
  /** To be stored with the work; `anchored` only. */
  anchor?: DraftAnchor
}
