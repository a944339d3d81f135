import type { CompletionEnd, ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { ChatRequest, ModelClient, ToolCall } from '../../models/client/model-client.ts'
import type { RequestHooks } from './agent-model.ts'

/** All that a request brought. */
export type ModelAnswer = {
  text: string
  reasoning: string
  calls: ToolCall[]
  usage: ModelUsage | null
  end: CompletionEnd
}

/** Runs a request to its end. `isProse`: its text is for the user and is heard as it comes. */
export async function hearAnswer(
  client: ModelClient,
  request: ChatRequest,
  isProse: boolean,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const answer: ModelAnswer = { text: '', reasoning: '', calls: [], usage: null, end: 'stop' }
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
      case 'done':
        answer.end = event.stopReason
    }
  }
  return answer
}
