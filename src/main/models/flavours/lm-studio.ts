import { z } from 'zod'
import { type OpenaiFacts, size } from '../client/openai-facts.ts'
import { commonSampler } from '../client/sampler-table.ts'
import type { FactQuestion, Flavour } from './flavour.ts'
import { other, ownAnswer, unknown } from './other.ts'

const LmStudioModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      state: z.string(),
      loaded_context_length: size.nullish(),
      capabilities: z.array(z.string()).nullish(),
    }),
  ),
})
const path = '/api/v0/models'

/** Source: https://lmstudio.ai/docs/developer (sampling fields; REST API). */
export const lmStudio: Flavour = {
  ...other,
  usualPort: 1234,
  mark: { path, shape: LmStudioModels },
  /** Returns the models that write text, the loaded ones first. */
  async listModels(http, signal) {
    const { data } = await http.get(path, LmStudioModels, signal)
    const isLoaded = (model: (typeof data)[number]) => Number(model.state === 'loaded')
    return data
      .filter(({ type }) => type !== 'embeddings')
      .toSorted((left, right) => isLoaded(right) - isLoaded(left))
      .map(({ id }) => id)
  },
  readFacts: lmStudioFacts,
  sampler: { names: { ...commonSampler.names, topK: 'top_k', repeatPenalty: 'repeat_penalty' } },
  completion: 'completions',
  cutsSilently: true,
  stopLimit: 32,
}

/** Reads LM Studio's facts. A model that is not loaded has only its largest possible window, which is not used. */
async function lmStudioFacts({ http, model, signal }: FactQuestion): Promise<OpenaiFacts | null> {
  const answer = await ownAnswer(http.get(path, LmStudioModels, signal))
  if (answer === null) return null
  const found = answer.data.find(({ id }) => id === model)
  return {
    ...unknown(model),
    contextTokens: found?.loaded_context_length ?? null,
    hasTools: found?.capabilities ? found.capabilities.includes('tool_use') : null,
    // LM Studio has the type `vlm` for models that take images.
    hasImages: found === undefined ? null : found.type === 'vlm',
  }
}
