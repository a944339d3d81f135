import type { CompletionEnd, ModelUsage } from '../../../shared/domain/model-status.ts'
import type { ChatRequest, ModelClient, ToolCall } from '../../models/model-client.ts'
import type { RequestHooks } from './agent-model.ts'
import { ThinkingSplit } from './thinking-split.ts'

/** All that a request brought. `text` is without thinking. */
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
  let split = new ThinkingSplit()
  const hear = ({ text, reasoning }: { text: string; reasoning: string }) => {
    answer.text += text
    answer.reasoning += reasoning
    if (text !== '' && isProse) hooks.onText(text)
    if (reasoning !== '') hooks.onReasoning(reasoning)
  }
  for await (const event of client.chat(request, signal)) {
    switch (event.type) {
      case 'phase':
        hooks.onPhase(event.phase, event.progress)
        break
      case 'text':
        hear(split.push(event.text))
        break
      case 'reasoning':
        hear({ text: '', reasoning: event.text })
        break
      case 'replace': {
        split = new ThinkingSplit()
        const { text } = split.push(event.text)
        answer.text = text
        if (isProse) hooks.onReplace(text)
        break
      }
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
  hear(split.flush())
  return answer
}
