import type { SuggestionPause } from '../../shared/domain/session/suggestion.ts'

/** The cache is lost where less than this share of what had been read already was reused. */
const keptShare = 0.9
/** A main request may share less by our count than the server does: only a real loss counts. */
const keptByMain = 0.5
/** Shared tokens below which nothing is judged: so many may be equal by chance. Units: tokens. */
const leastExpected = 200
const lossesToPause = 2
const timeoutsToPause = 3
/** Duration of a request above which the short prompt is used from then on. Units: ms. */
const slowMs = 4_000

/** Units: tokens. */
type Reuse = { expectedTokens: number; reusedTokens: number }

/**
 * Shape: `losses` in a row, of the suggestions and of the main requests after them: a model that cannot go back in its
 * cache loses at every main request while the suggestions look good.
 */
type Judged = {
  losses: { suggestion: number; main: number }
  hasLostByPrefetch: boolean
  timeouts: number
  isSlow: boolean
  isThinkingOn: boolean
}

/**
 * Records by profile how much suggestions cost each model, and pauses them: after two losses of the cache in a row
 * (with thinking left alone before the second), or three timeouts in a row. It is not stored: a server may have changed
 * since, and finding out again costs two requests.
 *
 * Source: `docs/decisions/suggestions.md`, "When".
 */
export class SuggestionCost {
  readonly #judged = new Map<string, Judged>()

  pause(profileId: string): SuggestionPause['reason'] | null {
    const { losses, timeouts } = this.#of(profileId)
    if (losses.suggestion >= lossesToPause || losses.main >= lossesToPause) return 'paused_cache'
    return timeouts >= timeoutsToPause ? 'paused_timeouts' : null
  }

  pauses(): SuggestionPause[] {
    return [...this.#judged.keys()].flatMap((profileId) => {
      const reason = this.pause(profileId)
      return reason === null ? [] : [{ profileId, reason }]
    })
  }

  /** Returns how the next suggestion is requested. */
  manner(profileId: string): { isShort: boolean; isThinkingOff: boolean } {
    const { isSlow, isThinkingOn } = this.#of(profileId)
    return { isShort: isSlow, isThinkingOff: !isThinkingOn }
  }

  /** Records a suggestion's own request. `reusedTokens` null: not known. */
  answered(
    profileId: string,
    { expectedTokens, reusedTokens, ms }: { expectedTokens: number; reusedTokens: number | null; ms: number },
  ): void {
    const judged = this.#of(profileId)
    judged.timeouts = 0
    if (ms > slowMs) judged.isSlow = true
    if (reusedTokens !== null) this.#judge(judged, 'suggestion', { expectedTokens, reusedTokens })
  }

  /** Returns false after a loss until a request has lost nothing; after one by a prefetch, until `resume`. */
  keepsCache(profileId: string): boolean {
    const { losses, hasLostByPrefetch } = this.#of(profileId)
    return losses.suggestion + losses.main === 0 && !hasLostByPrefetch && this.pause(profileId) === null
  }

  /** Records how much of the conversation was reused when a suggested message was read in advance. */
  prefetched(profileId: string, reuse: Reuse): void {
    if (isLoss(reuse, keptShare)) this.#of(profileId).hasLostByPrefetch = true
  }

  /** Records the main request after a suggestion. */
  wentOn(profileId: string, reuse: Reuse): void {
    this.#judge(this.#of(profileId), 'main', reuse)
  }

  timedOut(profileId: string): void {
    const judged = this.#of(profileId)
    judged.timeouts += 1
    judged.isSlow = true
  }

  /** Ends all pauses: the user wants suggestions again. */
  resume(): void {
    this.#judged.clear()
  }

  #judge(judged: Judged, whose: 'suggestion' | 'main', reuse: Reuse): void {
    if (reuse.expectedTokens < leastExpected || judged.losses[whose] >= lossesToPause) return
    const hasLost = isLoss(reuse, whose === 'main' ? keptByMain : keptShare)
    judged.losses[whose] = hasLost ? judged.losses[whose] + 1 : 0
    // A template may write the conversation otherwise where thinking is off.
    if (hasLost) judged.isThinkingOn = true
  }

  #of(profileId: string): Judged {
    const known = this.#judged.get(profileId)
    if (known !== undefined) return known
    const fresh: Judged = {
      losses: { suggestion: 0, main: 0 },
      hasLostByPrefetch: false,
      timeouts: 0,
      isSlow: false,
      isThinkingOn: false,
    }
    this.#judged.set(profileId, fresh)
    return fresh
  }
}

function isLoss({ expectedTokens, reusedTokens }: Reuse, share: number): boolean {
  return expectedTokens >= leastExpected && reusedTokens < expectedTokens * share
}
