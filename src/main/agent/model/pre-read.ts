import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import type { PreReading, RequestContext } from './agent-model.ts'
import type { AgentRequests } from './agent-request.ts'
import { decisionOptions, prepareDecision } from './make-decision.ts'
import { unheard } from './make-suggestion.ts'
import { hearAnswer } from './model-answer.ts'
import { wantedDirect } from './prompt/prompt-block.ts'

/** Shortest answer that every server accepts. Units: tokens. */
const maxTokens = 1

/**
 * Has the model read exactly the first request that a message would cause, and discards the token that it writes: the
 * later request is then in the cache. If another message comes, the cache is only cut back to what both share.
 *
 * Returns null where nothing is cached, where the backend does not report what it reused, or where the prompt would
 * not go on from the last one.
 */
export async function preRead(
  requests: AgentRequests,
  prompts: AgentPrompts,
  context: RequestContext,
  signal: AbortSignal,
): Promise<PreReading | null> {
  const active = await requests.active(signal, 'main', 'background')
  const main = requests.main(context, active)
  if (main === undefined || !active.client.capabilities.hasReuseCount) return null
  const isDirect = requests.isDirect(active, context)
  const wanted = () => wantedDirect(prompts, context.state)
  const prepared = isDirect
    ? await requests.prepare({ active, context, purpose: 'work', hasSituation: true, wanted, signal })
    : await prepareDecision(requests, prompts, active, context, signal)
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
