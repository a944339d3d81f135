import type { DraftPreview } from '../../shared/domain/drafting/draft-preview.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { LoreFitted } from './draft-lore.ts'
import type { PreparedDraft } from './draft-service.ts'
import { type BuiltPrompt, buildPrompt } from './prompt/build-prompt.ts'
import { outputTokens, tokenCounter, tokensByOrigin } from './prompt/draft-request.ts'

/** Returns the prompt that would be sent, with its figures. Units of `reading`: as in `DraftPreview`. */
export async function sendable(
  prepared: PreparedDraft,
  fitted: LoreFitted,
  reading: Pick<DraftPreview, 'reusableTokens' | 'readSpeed'>,
  signal: AbortSignal,
): Promise<DraftPreview> {
  const counter = tokenCounter(prepared.model, fitted.isEstimate)
  const { prompt, totalTokens, availableTokens, contextTokens, isEstimate, keptChars, bodyChars } = fitted
  return {
    ...shown(prepared, prompt),
    tokensByOrigin: await tokensByOrigin(prompt.parts, totalTokens, counter, signal),
    totalTokens,
    availableTokens,
    contextTokens,
    isEstimate,
    keptChars,
    bodyChars,
    isShortened: fitted.isShortened,
    ...reading,
    lore: fitted.lore?.report ?? null,
    loreRevision: fitted.loreRevision,
    story: fitted.story,
    problem: null,
  }
}

/** Returns the whole prompt, with the reason why it cannot be sent. */
export function unsendable(prepared: PreparedDraft, problem: ErrorInfo): DraftPreview {
  const bodyChars = [...prepared.draft.body].length
  const isTooLong = problem.code === 'model/context-overflow'
  return {
    ...shown(prepared, buildPrompt(prepared.frame, prepared.draft.body)),
    tokensByOrigin: {},
    totalTokens: isTooLong ? problem.usedTokens : 0,
    availableTokens: isTooLong ? problem.limitTokens : 0,
    contextTokens: 0,
    isEstimate: false,
    keptChars: bodyChars,
    bodyChars,
    isShortened: false,
    reusableTokens: null,
    readSpeed: null,
    lore: null,
    loreRevision: null,
    story: null,
    problem,
  }
}

function shown({ draft, request, settings }: PreparedDraft, { parts, task }: BuiltPrompt) {
  const rolls = draft.rolls.map(({ bodyTo: _, ...roll }) => roll)
  return { task, parts, rolls, outputTokens: outputTokens(request.mode, settings) }
}
