import { isAppError } from '../../../shared/errors.ts'
import {
  type ChatRequest,
  type CompletionRequest,
  type ModelEvent,
  plainPrompt,
  type ToolCall,
} from '../client/model-client.ts'
import { isUnanswered } from '../client/openai-faults.ts'
import { likeliest } from '../client/sampler-table.ts'
import { isJsonObject } from './tool-call-collector.ts'

const common = { sampler: likeliest, stops: [], seed: 1, conversation: 'probe' }

/** A request that a model which can call tools answers with a call. */
export const toolTrial: ChatRequest = {
  ...common,
  messages: [{ role: 'user', content: 'Use the tool "remember" to remember the word "umbrella".' }],
  tools: [
    {
      name: 'remember',
      description: 'Remembers one word.',
      parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    },
  ],
  maxTokens: 512,
  isThinkingOff: true,
}

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
 * Returns whether the answer is a call that could be used: a server may refuse tools, or answer with half a call. Null
 * where the trial gave way to another request.
 *
 * Errors: `model/…`, where the server did not answer at all.
 */
export async function endsInCall(answer: AsyncIterable<ModelEvent>): Promise<boolean | null> {
  const told = await ended(answer)
  return told ? told.calls.some((call) => call.name !== '' && isJsonObject(call.arguments)) : told
}

/**
 * Returns whether `/v1/completions` exists and puts no chat template around the prompt; null and errors as `endsInCall`.
 * `isTemplateUsual`: this server is assumed to apply one where it gives no count of tokens.
 */
export async function continuesPrompts(
  answer: AsyncIterable<ModelEvent>,
  isTemplateUsual: boolean,
): Promise<boolean | null> {
  const told = await ended(answer)
  if (told && told.promptTokens !== null) return told.promptTokens <= mostTokensOfLetter
  return told && !isTemplateUsual
}

/** Returns whether the answer continues the begun one; null and errors as `endsInCall`. */
export async function continuesAnswers(answer: AsyncIterable<ModelEvent>): Promise<boolean | null> {
  const told = await ended(answer)
  return told ? told.text.trimStart().startsWith('door') : told
}

type Told = { text: string; calls: ToolCall[]; promptTokens: number | null }

/** Reads an answer to its end. False: the server refuses such a request; null: another one preempted the trial. */
async function ended(answer: AsyncIterable<ModelEvent>): Promise<Told | false | null> {
  const told: Told = { text: '', calls: [], promptTokens: null }
  try {
    for await (const event of answer) {
      if (event.type === 'text') told.text += event.text
      if (event.type === 'tool-call') told.calls.push(event.call)
      if (event.type === 'usage' && event.usage.isExact) told.promptTokens = event.usage.promptTokens
      if (event.type === 'done' && event.stopReason === 'aborted') return null
    }
  } catch (error) {
    if (!isAppError(error, 'model/bad-request') && !isUnanswered(error)) throw error
    return false
  }
  return told
}
