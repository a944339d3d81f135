import { type AttachedImage, imageTokens } from '../../../../shared/domain/image/attached-image.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import type { PromptEntry } from './prompt-entry.ts'

export type PromptCut = NonNullable<PromptEntry['cut']>

const nothing: PromptCut = { entries: [], hasNoQuestions: false, hasShortPlan: false }

/** Returns the union of the log's cuts. */
export function cutOf(log: readonly PromptEntry[]): PromptCut {
  return log.reduce(
    (all, { cut = nothing }) => ({
      entries: [...all.entries, ...cut.entries],
      hasNoQuestions: all.hasNoQuestions || cut.hasNoQuestions,
      hasShortPlan: all.hasShortPlan || cut.hasShortPlan,
    }),
    nothing,
  )
}

/** Returns an entry's text after the cuts. `stub` replaces evidence; a summary is removed. */
export function cutText(entry: PromptEntry, index: number, cut: PromptCut, stub: string): string {
  // A cut answer loses only its reasoning.
  if (cut.entries.includes(index) && entry.kind !== 'work') return entry.kind === 'summary' ? '' : stub
  if (entry.kind !== 'block' || entry.told === undefined) return entry.text
  let { text } = entry
  const { openQuestions = '', planBrief = '' } = entry.told
  if (cut.hasNoQuestions && openQuestions !== '') text = text.replace(`\n${openQuestions}`, '')
  const nextStep = planBrief.split('\n').slice(0, 2).join('\n')
  if (cut.hasShortPlan && planBrief !== '') text = text.replace(planBrief, () => nextStep)
  return text
}

/**
 * Returns what can be cut from a prompt, in this order: what the model thought before its calls, then evidence
 * (results, file texts), then summaries, each oldest first, then the open questions, then the plan but for its next
 * step.
 *
 * Shape: `saves` in estimated tokens. Never cut: goal, why now, constraints, output format, what the user wrote.
 * Source: `docs/decisions/sessions.md`, point 22.
 */
export function cutSteps(log: readonly PromptEntry[]): { saves: number; cut: PromptCut }[] {
  const before = cutOf(log)
  const entryOf = (kinds: readonly string[]) =>
    log.flatMap(({ kind, text, images = [] }, index) =>
      kinds.includes(kind) && !before.entries.includes(index)
        ? [{ saves: estimateTextTokens(text) + tokensOfAll(images), cut: { ...nothing, entries: [index] } }]
        : [],
    )
  const told = (key: string) =>
    log.reduce((sum, entry) => sum + estimateTextTokens(entry.told?.[key] ?? ''), 0)
  const thoughts = log.flatMap(({ thought }, index) =>
    thought === undefined || before.entries.includes(index)
      ? []
      : [{ saves: estimateTextTokens(thought.text), cut: { ...nothing, entries: [index] } }],
  )
  return [
    ...thoughts,
    ...entryOf(['result', 'file']),
    ...entryOf(['summary']),
    ...(before.hasNoQuestions
      ? []
      : [{ saves: told('openQuestions'), cut: { ...nothing, hasNoQuestions: true } }]),
    ...(before.hasShortPlan
      ? []
      : [{ saves: told('planBrief') / 2, cut: { ...nothing, hasShortPlan: true } }]),
  ]
}

function tokensOfAll(images: readonly AttachedImage[]): number {
  return images.reduce((sum, image) => sum + imageTokens(image), 0)
}

/** Returns the one entry that records several cuts. */
export function cutEntry(turn: number, cuts: readonly PromptCut[]): PromptEntry {
  const cut = cutOf(
    cuts.map((one): PromptEntry => ({ turn, role: 'system', kind: 'cut', text: '', cut: one })),
  )
  return { turn, role: 'system', kind: 'cut', text: '', cut }
}
