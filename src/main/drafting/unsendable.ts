import type { DraftPreview } from '../../shared/domain/drafting/draft-preview.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import { outputTokens } from './draft-request.ts'
import type { PreparedDraft } from './draft-service.ts'
import { buildPrompt } from './prompt/build-prompt.ts'

/** The whole prompt as it would be, with why it cannot be sent. */
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
    lore: null,
    story: null,
    problem,
  }
}
