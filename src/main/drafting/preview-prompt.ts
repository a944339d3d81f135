import type { DraftPreview } from '../../shared/domain/drafting/draft-preview.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { LoreFitted } from './draft-lore.ts'
import { outputTokens, tokenCounter, tokensByOrigin } from './draft-request.ts'
import type { PreparedDraft } from './draft-service.ts'
import { buildPrompt } from './prompt/build-prompt.ts'

/** Returns the prompt that would be sent, with its figures. Units of `reading`: as in `DraftPreview`. */
export async function sendable(
  prepared: PreparedDraft,
  fitted: LoreFitted,
  reading: Pick<DraftPreview, 'reusableTokens' | 'readSpeed'>,
  signal: AbortSignal,
): Promise<DraftPreview> {
  const counter = tokenCounter(prepared.model, fitted.isEstimate)
  const { parts, task } = fitted.prompt
  return {
    task,
    parts,
    rolls: prepared.draft.rolls.map(({ bodyTo: _, ...roll }) => roll),
    tokensByOrigin: await tokensByOrigin(parts, fitted.totalTokens, counter, signal),
    totalTokens: fitted.totalTokens,
    availableTokens: fitted.availableTokens,
    contextTokens: fitted.contextTokens,
    outputTokens: outputTokens(prepared.request.mode, prepared.settings),
    isEstimate: fitted.isEstimate,
    keptChars: fitted.keptChars,
    bodyChars: fitted.bodyChars,
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
  const { parts, task } = buildPrompt(prepared.frame, prepared.draft.body)
  const bodyChars = [...prepared.draft.body].length
  return {
    task,
    parts,
    rolls: prepared.draft.rolls.map(({ bodyTo: _, ...roll }) => roll),
    tokensByOrigin: {},
    totalTokens: problem.code === 'model/context-overflow' ? problem.usedTokens : 0,
    availableTokens: problem.code === 'model/context-overflow' ? problem.limitTokens : 0,
    contextTokens: 0,
    outputTokens: outputTokens(prepared.request.mode, prepared.settings),
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
