import type { RequestPurpose } from '../../../shared/domain/model/model-request.ts'
import type { CompletionEnd, ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { ChatRequest, ReasoningField, ToolCall } from '../../models/client/model-client.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { RequestLog } from '../../sessions/request-log.ts'
import type { RequestHooks } from './agent-model.ts'

export type ModelAnswer = {
  text: string
  reasoning: string
  /** The field of the API that the reasoning came in. */
  reasoningField?: ReasoningField
  calls: ToolCall[]
  usage: ModelUsage | null
  end: CompletionEnd
}

/** How an answer ended, in the words of the log and of outcomes. */
export const answerEnds = {
  stop: 'finished',
  'stop-sequence': 'finished',
  length: 'cut',
  aborted: 'stopped',
} as const

/** The session and purpose of a request, and the log that records it. */
type AskedAs = {
  sessionId: string
  purpose: RequestPurpose
  requests: Pick<RequestLog, 'begin'> | undefined
}

/**
 * Sends a request, collects its answer, and records it in the log of requests however it ended. `isProse`: the text
 * is for the user and goes to the hooks as it arrives.
 */
export async function hearAnswer(
  { client, modelName }: Pick<ActiveModel, 'client' | 'modelName'>,
  { sessionId, purpose, requests }: AskedAs,
  request: ChatRequest,
  isProse: boolean,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const over = requests?.begin(sessionId, purpose, modelName)
  const answer: ModelAnswer = { text: '', reasoning: '', calls: [], usage: null, end: 'stop' }
  let isHeard = false
  try {
    for await (const event of client.chat(request, signal)) {
      switch (event.type) {
        case 'phase':
          hooks.onPhase(event.phase, event.progress, event.waitMs)
          break
        case 'text':
          answer.text += event.text
          if (isProse) hooks.onText(event.text)
          break
        case 'reasoning':
          answer.reasoning += event.text
          if (event.field !== undefined) answer.reasoningField = event.field
          hooks.onReasoning(event.text)
          break
        case 'replace':
          answer.text = event.text
          if (isProse) hooks.onReplace(event.text)
          break
        case 'tool-call':
          answer.calls.push(event.call)
          break
        case 'usage':
          answer.usage = event.usage
          break
        case 'chance':
          // Token probabilities are shown for takes only.
          break
        case 'done':
          answer.end = event.stopReason
      }
    }
    isHeard = true
    return answer
  } finally {
    const usage = isHeard ? answer.usage : null
    over?.({
      promptTokens: usage?.promptTokens ?? 0,
      reusedTokens: usage === null || usage.isReuseEstimated ? null : usage.reusedTokens,
      completionTokens: usage?.completionTokens ?? 0,
      ...(usage === null ? {} : { ms: usage.msTotal }),
      end: isHeard ? answerEnds[answer.end] : signal.aborted ? 'stopped' : 'failed',
    })
  }
}
