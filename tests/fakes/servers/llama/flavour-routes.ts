import type { OpenaiFlavour } from '../../../../src/shared/domain/model/model-profile.ts'

const loaded = { state: 'loaded', max_context_length: 32_768, loaded_context_length: 2_048 }

/** What a server of each flavour tells of the model `smol.gguf` beyond OpenAI's own paths, by method and path. */
export const flavourRoutes: Record<OpenaiFlavour, Readonly<Record<string, unknown>>> = {
  'llama.cpp': {},
  ollama: {
    'GET /api/version': { version: '0.12.6' },
    'POST /api/show': { capabilities: ['completion', 'tools'], parameters: '', model_info: {} },
    'GET /api/ps': { models: [{ name: 'smol.gguf', model: 'smol.gguf', context_length: 2_048 }] },
  },
  'lm-studio': {
    'GET /api/v0/models': {
      data: [{ id: 'smol.gguf', object: 'model', type: 'llm', ...loaded, capabilities: ['tool_use'] }],
    },
  },
  vllm: {},
  other: {},
}
