import type { Sampler } from '../../../shared/domain/model/sampler.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { ChatRequest, ModelEvent } from '../client/model-client.ts'
import { isJsonObject } from './tool-call-collector.ts'

const likeliest: Sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }

/** A request that a model with tools answers with a call. */
export const toolTrial: ChatRequest = {
  messages: [{ role: 'user', content: 'Use the tool "remember" to remember the word "umbrella".' }],
  tools: [
    {
      name: 'remember',
      description: 'Remembers one word.',
      parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    },
  ],
  sampler: likeliest,
  maxTokens: 512,
  stops: [],
  seed: 1,
  isThinkingOff: true,
  conversation: 'probe',
}

/**
 * Returns whether the answer is a call that could be used: a server may refuse tools, or answer with half a call. Null
 * where the trial gave way to another request.
 */
export async function endsInCall(answer: AsyncIterable<ModelEvent>): Promise<boolean | null> {
  let hasCall = false
  try {
    for await (const event of answer) {
      if (event.type === 'tool-call') hasCall ||= event.call.name !== '' && isJsonObject(event.call.arguments)
      if (event.type === 'done' && event.stopReason === 'aborted') return null
    }
  } catch (error) {
    if (!isAppError(error, 'model/bad-request') && !isAppError(error, 'model/bad-response')) throw error
    return false
  }
  return hasCall
}
