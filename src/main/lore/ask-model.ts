import type { Prompt } from '../models/client/model-client.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'

type Question = {
  text: string
  maxTokens: number
  seed: number
  conversation: string
}

/** Asks a model by its own template and gives its answer as it comes. Errors: `model/…`. */
export async function* askModel(
  { client, template, sampler }: ActiveModel,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<{ type: 'text' | 'replace'; text: string }, void, void> {
  const { text, ...rest } = question
  const events = client.complete(
    {
      ...rest,
      prompt: wrapped(template.wrapper, text),
      sampler,
      stops: template.stops,
      isThinkingOff: true,
    },
    signal,
  )
  for await (const event of events) if (event.type === 'text' || event.type === 'replace') yield event
  signal.throwIfAborted()
}

function wrapped(wrapper: string, text: string): Prompt {
  const [before = '', between = ''] = wrapper.replace('{{suffix}}', '').split('{{inner}}')
  return [
    { text: before, isSpecial: true },
    { text, isSpecial: false },
    { text: between, isSpecial: true },
  ].filter((segment) => segment.text !== '')
}
