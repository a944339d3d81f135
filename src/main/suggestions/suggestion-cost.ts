import type { SuggestionPause } from '../../shared/domain/suggestion.ts'

/** Less than this share of what had been read already is a loss. */
const keptShare = 0.9
/** A main request may share less by our count than the server does: only a real loss counts. */
const keptByMain = 0.5
/** The same as one expects by chance: too little to judge by. Units: tokens. */
const leastExpected = 200
const lossesToPause = 2
const timeoutsToPause = 3
/** Longer than this, and the short prompt is used from then on. Units: ms. */
const slowMs = 4_000

type Judged = { losses: number; timeouts: number; isSlow: boolean; isThinkingOn: boolean }

/**
 * What suggestions cost each model, by profile, and when they stop for it: after two losses of the cache running
 * (with thinking left alone before the second), or three timeouts running.
 *
 * Source: `../shared/spec/5-suggestions.md`, "When".
 */
export class SuggestionCost {
  readonly #judged = new Map<string, Judged>()

  pause(profileId: string): SuggestionPause['reason'] | null {
    const { losses, timeouts } = this.#of(profileId)
    if (losses >= lossesToPause) return 'paused_cache'
    return timeouts >= timeoutsToPause ? 'paused_timeouts' : null
  }

  pauses(): SuggestionPause[] {
    return [...this.#judged.keys()].flatMap((profileId) => {
      const reason = this.pause(profileId)
      return reason === null ? [] : [{ profileId, reason }]
    })
  }

  /** How the next one is asked for. */
  manner(profileId: string): { isShort: boolean; isThinkingOff: boolean } {
    const { isSlow, isThinkingOn } = this.#of(profileId)
    return { isShort: isSlow, isThinkingOff: !isThinkingOn }
  }

  /** A suggestion's own request. `reusedTokens` null: nobody knows. */
  answered(
    profileId: string,
    { expectedTokens, reusedTokens, ms }: { expectedTokens: number; reusedTokens: number | null; ms: number },
  ): void {
    const judged = this.#of(profileId)
    judged.timeouts = 0
    if (ms > slowMs) judged.isSlow = true
    if (reusedTokens !== null) this.#judge(judged, expectedTokens, reusedTokens, keptShare)
  }

  /** False once a loss was seen that nothing has made up for. */
  keepsCache(profileId: string): boolean {
    return this.#of(profileId).losses === 0 && this.pause(profileId) === null
  }

  /** What reading a suggested message ahead has found of the conversation. */
  readAhead(profileId: string, reuse: { expectedTokens: number; reusedTokens: number }): void {
    this.#judge(this.#of(profileId), reuse.expectedTokens, reuse.reusedTokens, keptShare)
  }

  /** The main request after a suggestion. */
  wentOn(profileId: string, reuse: { expectedTokens: number; reusedTokens: number }): void {
    this.#judge(this.#of(profileId), reuse.expectedTokens, reuse.reusedTokens, keptByMain)
  }

  timedOut(profileId: string): void {
    const judged = this.#of(profileId)
    judged.timeouts += 1
    judged.isSlow = true
  }

  /** The user wants them again. */
  resume(): void {
    this.#judged.clear()
  }

  #judge(judged: Judged, expectedTokens: number, reusedTokens: number, share: number): void {
    if (expectedTokens < leastExpected || judged.losses >= lossesToPause) return
    const isLoss = reusedTokens < expectedTokens * share
    judged.losses = isLoss ? judged.losses + 1 : 0
    // A template may write the conversation otherwise where thinking is off.
    if (isLoss) judged.isThinkingOn = true
  }

  #of(profileId: string): Judged {
    const known = this.#judged.get(profileId)
    if (known !== undefined) return known
    const fresh = { losses: 0, timeouts: 0, isSlow: false, isThinkingOn: false }
    this.#judged.set(profileId, fresh)
    return fresh
  }
}
