import type { Sampler } from '../../../shared/domain/model/sampler.ts'
import { isAppError } from '../../../shared/errors.ts'
import {
  type ChatRequest,
  type CompletionRequest,
  type ModelEvent,
  plainPrompt,
} from '../client/model-client.ts'

const likeliest: Sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const common = { sampler: likeliest, stops: [], seed: 1, conversation: 'probe' }

/** A server that uses the prompt as it is reads one token of it, and perhaps its own first and last token. */
export const completionTrial: CompletionRequest = { ...common, prompt: plainPrompt('a'), maxTokens: 1 }
const mostTokensOfLetter = 3

const sentence = 'Seven green umbrellas stand beside the old door.'
const begun = 'Seven green umbrellas stand beside the old'

/** The begun answer has more tokens than the limit, so that a new answer never reaches the word after it. */
export const prefillTrial: ChatRequest = {
  ...common,
  messages: [
    { role: 'user', content: `Answer with this sentence and nothing else: ${sentence}` },
    { role: 'assistant', content: begun },
  ],
  maxTokens: 3,
  isThinkingOff: true,
}

/**
 * Returns whether `/v1/completions` exists and puts no chat template around the prompt; null where the trial gave
 * way to another request. `isTemplateUsual`: this server is assumed to apply one where it gives no count of tokens.
 *
 * Errors: `model/…`, where the server did not answer at all.
 */
export async function continuesPrompts(
  answer: AsyncIterable<ModelEvent>,
  isTemplateUsual: boolean,
): Promise<boolean | null> {
  const told = await ended(answer)
  if (typeof told !== 'object' || told === null) return told
  return told.promptTokens === null ? !isTemplateUsual : told.promptTokens <= mostTokensOfLetter
}

/** Returns whether the answer continues the begun one; null and errors as `continuesPrompts`. */
export async function continuesAnswers(answer: AsyncIterable<ModelEvent>): Promise<boolean | null> {
  const told = await ended(answer)
  if (typeof told !== 'object' || told === null) return told
  return told.text.trimStart().startsWith('door')
}

/** Reads an answer to its end. False: the server refuses such a request; null: another one preempted the trial. */
async function ended(
  answer: AsyncIterable<ModelEvent>,
): Promise<{ text: string; promptTokens: number | null } | false | null> {
  let text = ''
  let promptTokens: number | null = null
  try {
    for await (const event of answer) {
      if (event.type === 'text') text += event.text
      if (event.type === 'usage' && event.usage.isExact) promptTokens = event.usage.promptTokens
      if (event.type === 'done' && event.stopReason === 'aborted') return null
    }
  } catch (error) {
    if (!isAppError(error, 'model/bad-request') && !isAppError(error, 'model/bad-response')) throw error
    return false
  }
  return { text, promptTokens }
}
