import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import type { PreReading, RequestContext } from './agent-model.ts'
import type { AgentRequests, PreparedRequest } from './agent-request.ts'
import { decisionOptions, prepareDecision } from './make-decision.ts'
import { unheard } from './make-suggestion.ts'
import { hearAnswer } from './model-answer.ts'
import { wantedDirect } from './prompt/wanted-parts.ts'

function prepareDirect(
  requests: AgentRequests,
  prompts: AgentPrompts,
  active: ActiveModel,
  context: RequestContext,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const wanted = () => wantedDirect(prompts, context.state)
  const common = { purpose: 'work', hasSituation: true, hooks: unheard } as const
  return requests.prepare({ active, context, wanted, signal, ...common })
}

/** The least that every server takes. */
const maxTokens = 1

/**
 * Has the model read the decision that a message would begin with, to the letter, and throws its first token away:
 * what is sent later has been read then; if another message comes, the cache is only cut back to what both share.
 *
 * Null where nothing is warm, where the backend does not tell what it has read again, or where the prompt would
 * not go on from the last one.
 */
export async function preRead(
  requests: AgentRequests,
  prompts: AgentPrompts,
  context: RequestContext,
  signal: AbortSignal,
): Promise<PreReading | null> {
  const active = await requests.active(signal)
  const main = requests.main(context, active)
  if (main === undefined || !active.client.capabilities.hasReuseCount) return null
  const isDirect = requests.isDirect(active, context)
  const prepared = isDirect
    ? await prepareDirect(requests, prompts, active, context, signal)
    : await prepareDecision(requests, prompts, active, context, unheard, signal)
  if (prepared.prompt.added.length > 0) return null
  const { sessionId } = context
  const options = isDirect ? { isProse: true, canCall: true } : decisionOptions(prepared)
  const request = requests.requestOf(prepared, sessionId, options)
  requests.noteSuggestion(sessionId)
  const { usage } = await hearAnswer(
    active,
    { sessionId, purpose: 'pre_read', requests: requests.log },
    { ...request, maxTokens, priority: 'background' },
    false,
    unheard,
    signal,
  )
  return { usage, expectedTokens: main.promptTokens }
}
