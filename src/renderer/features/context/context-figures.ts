import type { DraftPreview } from '../../../shared/domain/drafting/draft-preview.ts'
import type { Run, RunFigures } from '../../../shared/domain/drafting/run.ts'
import { PromptOrigin } from '../../../shared/domain/drafting/take.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { BarPart } from '../../ui/context-bar.tsx'

/** Colours by origin: the author's text grey, the work's details indigo, the note gold, the frame plain. */
export const originColours: Record<PromptOrigin, BarPart['colour']> = {
  wrapper: 'ink2',
  instruction: 'ink2',
  reference: 'info',
  lore: 'info',
  story: 'info',
  body: 'body',
  recentLore: 'info',
  following: 'body',
  note: 'seam',
  tail: 'body',
  rewrite: 'seam',
  suffix: 'body',
}

/** Origins that cost tokens, in the order of the prompt, and the room kept for the answer. */
export function barParts(preview: DraftPreview, t: Translate): BarPart[] {
  const order = [...new Set([...preview.parts.map((part) => part.origin), ...PromptOrigin.options])]
  return order.flatMap((origin) => {
    const amount = preview.tokensByOrigin[origin] ?? 0
    if (amount <= 0) return []
    const label = t('context.part', { name: t(`origin.${origin}`), count: amount })
    return [{ id: origin, label, amount, colour: originColours[origin] }]
  })
}

/** Returns the tokens that the model has to read: all of them before its first run; null where nothing can be sent. */
export function newTokens(
  preview: Pick<DraftPreview, 'problem' | 'totalTokens' | 'reusableTokens'>,
): number | null {
  return preview.problem === null ? preview.totalTokens - (preview.reusableTokens ?? 0) : null
}

/** Returns how long the model reads before it writes. Units: seconds, rounded as people say it. */
export function waitingSeconds(newTokens: number, tokensPerSecond: number): number {
  const seconds = newTokens / Math.max(tokensPerSecond, 0.01)
  if (seconds < 1) return 1
  return seconds < 20 ? Math.round(seconds) : Math.round(seconds / 5) * 5
}

/** Returns the figures of the newest run whose prompt was read. */
export function lastFigures(runs: readonly Pick<Run, 'figures' | 'startedAt'>[]): RunFigures | undefined {
  return runs
    .filter(({ figures }) => figures.reading !== undefined)
    .toSorted((a, b) => b.startedAt - a.startedAt)
    .at(0)?.figures
}
