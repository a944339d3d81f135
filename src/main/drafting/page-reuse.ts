import type { RunFigures } from '../../shared/domain/drafting/run.ts'
import { sharedLength } from '../../shared/text/difference/shared-length.ts'

/** Length of the end of a text that is looked for in the next prompt. Units: UTF-16. */
const tailChars = 100
/** Share of a prompt by which an estimate must be wrong before it says how the server keeps its cache. */
const tellingShare = 0.3

/** Estimates how much of a page's prompt a model need not read again. Units: tokens. */
export class PageReuse {
  /** The last prompt with its answer, by work and model. */
  readonly #last = new Map<string, string>()
  /** Profiles whose server was seen to keep what stands behind a beginning that was cut, as KoboldCpp can. */
  readonly #shifting = new Set<string>()

  /** Returns the estimate by the shared characters; null before the first page. */
  estimate(key: string, profileId: string, prompt: string, totalTokens: number): number | null {
    const last = this.#last.get(key)
    if (last === undefined) return null
    const shared = sharedLength(prompt, last)
    const kept = this.#shifting.has(profileId) ? Math.max(shared, endOfLast(prompt, last)) : shared
    return Math.floor((kept / prompt.length) * totalTokens)
  }

  /** Notes the text of a page that has ended, and by its figures whether the server moves its cache with the text. */
  remember(key: string, profileId: string, text: string, figures: RunFigures): void {
    this.#last.set(key, text)
    const { promptTokens, reusedTokens, reading } = figures
    if (promptTokens === null || reusedTokens === null || reading === undefined) return
    const difference = promptTokens - reusedTokens - reading.predictedTokens
    if (difference < -tellingShare * promptTokens) this.#shifting.add(profileId)
    else if (difference > tellingShare * promptTokens) this.#shifting.delete(profileId)
  }
}

/** Returns the position in a prompt up to which the last text goes; 0 where its end is not in it. */
function endOfLast(prompt: string, last: string): number {
  const tail = last.slice(-tailChars)
  const at = prompt.lastIndexOf(tail)
  return at < 0 ? 0 : at + tail.length
}
