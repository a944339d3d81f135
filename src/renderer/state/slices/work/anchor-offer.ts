import type { DraftPreview } from '../../../../shared/domain/drafting/draft-preview.ts'
import type { FitMode } from '../../../../shared/domain/drafting/draft-settings.ts'
import type { RunFigures } from '../../../../shared/domain/drafting/run.ts'

/** Cost of reading a page as it is, and with a held beginning. Units: tokens. */
export type AnchorOffer = { readTokens: number; anchoredTokens: number }

/** Pages in a row that must have read most of their prompt anew before anything is offered. */
export const judgedPages = 2
const leastReuse = 0.5

/** True where a page read most of its prompt anew; false where the tokens were not counted. */
export function isReadAnew({ promptTokens, reusedTokens }: RunFigures): boolean {
  return promptTokens !== null && reusedTokens !== null && reusedTokens < promptTokens * leastReuse
}

/**
 * Returns what `anchored` would save, where it would: the text is longer than the context, its beginning moves
 * with each page by the author's choice, and the last pages read most of it anew. Where the author chose no mode, the
 * host finds the one that suits.
 */
export function anchorOffer(given: {
  pages: readonly RunFigures[]
  preview: DraftPreview
  fitMode: FitMode
}): AnchorOffer | null {
  const { preview, fitMode } = given
  const pages = given.pages.slice(-judgedPages)
  const last = pages.at(-1)
  if (fitMode !== 'token_dynamic' || last === undefined) return null
  if (pages.length < judgedPages || !pages.every(isReadAnew)) return null
  if (preview.problem !== null || preview.keptChars >= preview.bodyChars) return null
  const read = pages.map(({ promptTokens, reusedTokens }) => (promptTokens ?? 0) - (reusedTokens ?? 0))
  const readTokens = Math.round(read.reduce((sum, tokens) => sum + tokens, 0) / read.length)
  // Behind a held beginning only the page that came last and what stands after the text is new.
  const { note = 0, tail = 0, suffix = 0 } = preview.tokensByOrigin
  const anchoredTokens = last.completionTokens + note + tail + suffix
  return anchoredTokens < readTokens ? { readTokens, anchoredTokens } : null
}
