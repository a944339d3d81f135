import { commonSampler } from '../client/sampler-table.ts'
import type { Flavour } from './flavour.ts'
import { other } from './other.ts'

/** Source: https://docs.vllm.ai "OpenAI-Compatible Server" (extra parameters). */
export const vllm: Flavour = {
  ...other,
  owner: 'vllm',
  sampler: {
    names: { ...commonSampler.names, topK: 'top_k', minP: 'min_p', repeatPenalty: 'repetition_penalty' },
    values: ({ topK }) => (topK === 0 ? { topK: -1 } : {}),
  },
  completion: 'completions',
  canBanEnd: true,
  stopLimit: 32,
  isBatching: true,
}
