import { z } from 'zod'
import type { ServedChoice } from '../../../shared/domain/model/model-profile.ts'
import { LlamaProps, vllmTokens } from '../client/openai-facts.ts'
import { OpenaiHttp } from '../client/openai-http.ts'
import type { TemplateEvidence } from '../client/own-api.ts'
import type { ModelServer } from '../client/server-http.ts'
import { ownApis } from './own-apis.ts'

/** After this time a profile is made without the answer. */
const limitMs = 3_000
const Tokens = z.object({ tokens: z.array(z.unknown()) })

/** Asks a server for evidence of its model's template, within three seconds. Errors: `model/…`. */
export async function templateEvidence(server: ModelServer, choice: ServedChoice): Promise<TemplateEvidence> {
  const signal = AbortSignal.timeout(limitMs)
  if (choice.backend !== 'openai')
    return (await ownApis[choice.backend].load()).templateEvidence(server, choice, signal)
  const { model: modelName, flavour } = choice
  const http = new OpenaiHttp(server)
  if (flavour === 'vllm') {
    const isToken = async (marker: string): Promise<boolean> =>
      (await vllmTokens(http, modelName, marker, signal)).tokens.length === 1
    // The name alone decides where the tokenizer does not answer: a proxy may pass on only OpenAI's API.
    return { chatTemplate: null, modelName, isToken: (marker) => isToken(marker).catch(() => true) }
  }
  if (flavour !== 'llama.cpp') return { chatTemplate: null, modelName, isToken: null }
  const { chat_template } = await http.get('/props', LlamaProps, signal)
  return {
    chatTemplate: chat_template ?? null,
    modelName,
    async isToken(marker) {
      const body = { model: modelName, content: marker, add_special: false, parse_special: true }
      return (await http.post('/tokenize', body, Tokens, signal)).tokens.length === 1
    },
  }
}
