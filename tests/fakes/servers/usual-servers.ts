import type { OpenaiFlavour } from '../../../src/shared/domain/model/model-profile.ts'
import type { RouteAnswer, Routes } from './route-server.ts'

const list = (...data: unknown[]): RouteAnswer => ({ json: { object: 'list', data } })

/** A streamed answer as OpenAI frames it; `usage` comes in an event of its own. */
export function chatEvents(text: string, usage?: object): RouteAnswer {
  const event = (delta: object, finish: string | null = null) => ({
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const words = text.match(/^\s+\S+\s*|\S+\s*/g) ?? []
  return {
    events: [
      event({ role: 'assistant', content: '' }),
      ...words.map((content) => event({ content })),
      event({}, 'stop'),
      ...(usage === undefined ? [] : [{ id: 'x', choices: [], usage }]),
    ],
  }
}

/**
 * Answers of servers of OpenAI's API about themselves, from their documentation, not measured.
 *
 * Source: https://docs.ollama.com/api, https://lmstudio.ai/docs/developer/rest,
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html.
 */
export const usualServers = {
  /** `tokens`: its whole vocabulary, each with its type in the model's file. */
  ollama(
    options: {
      isLoaded?: boolean
      capabilities?: string[]
      tokens?: readonly (readonly [string, number])[]
    } = {},
  ): Routes {
    const { capabilities = ['completion', 'tools'], tokens = [] } = options
    let isLoaded = options.isLoaded ?? true
    return {
      'GET /v1/models': list({ id: 'qwen3:4b', object: 'model', owned_by: 'library' }),
      'GET /api/version': { json: { version: '0.12.6' } },
      'POST /api/show': ({ body }) => {
        // The lists are always present, but empty unless they are requested.
        const shown = (body as { verbose?: boolean }).verbose === true ? tokens : []
        const model_info = {
          'qwen3.context_length': 40_960,
          'tokenizer.ggml.tokens': shown.map(([text]) => text),
          'tokenizer.ggml.token_type': shown.map(([, type]) => type),
        }
        const modified_at = '2026-01-01T00:00:00Z'
        return { json: { capabilities, parameters: 'temperature 0.6', modified_at, model_info } }
      },
      'GET /api/ps': () => ({
        json: { models: isLoaded ? [{ name: 'qwen3:4b', model: 'qwen3:4b', context_length: 4096 }] : [] },
      }),
      'POST /api/generate': () => {
        isLoaded = true
        return { json: { model: 'qwen3:4b', response: '', done: true, done_reason: 'load' } }
      },
    }
  },
  lmStudio(): Routes {
    const model = (id: string, type: string, more: object) => ({ id, object: 'model', type, ...more })
    return {
      'GET /v1/models': list(
        { id: 'text-embedding-nomic', object: 'model', owned_by: 'organization_owner' },
        { id: 'gemma-3-4b', object: 'model', owned_by: 'organization_owner' },
        { id: 'qwen2.5-7b', object: 'model', owned_by: 'organization_owner' },
      ),
      'GET /api/v0/models': list(
        model('text-embedding-nomic', 'embeddings', { state: 'not-loaded', max_context_length: 2048 }),
        model('gemma-3-4b', 'llm', { state: 'not-loaded', max_context_length: 131_072 }),
        model('qwen2.5-7b', 'llm', {
          state: 'loaded',
          max_context_length: 32_768,
          loaded_context_length: 4096,
          capabilities: ['tool_use'],
        }),
      ),
      // Under 200, as to every path that it does not know.
      else: { json: { error: 'Unexpected endpoint or method. (GET /)' } },
    }
  },
  vllm(): Routes {
    return {
      'GET /v1/models': list({ id: 'Qwen/Qwen3-8B', owned_by: 'vllm', max_model_len: 16_384 }),
    }
  },
  cloud(): Routes {
    return {
      'GET /v1/models': ({ headers }) =>
        headers.authorization === 'Bearer himitsu'
          ? list({ id: 'big-1', object: 'model', owned_by: 'system' })
          : { status: 401, json: { error: { message: 'Incorrect API key', type: 'invalid_request_error' } } },
    }
  },
}

type FlavourServer = {
  /** Its answers about itself. Null: the fake llama-server is one. */
  routes: Routes | null
  /** Those of its models that write text, in the order in which they are offered. */
  models: string[]
  /**
   * Answers of paths outside of OpenAI's API, by method and path, for tests that start the fake llama-server as a server
   * of this flavour. They describe the model `smol.gguf` with a window of 2,048 tokens, which those tests expect.
   */
  ownRoutes: Readonly<Record<string, unknown>>
}

const loaded = { state: 'loaded', max_context_length: 32_768, loaded_context_length: 2_048 }

/** A server of each flavour. The tests of recognition, conformance and faults play every one of them. */
export const flavourServers: Record<OpenaiFlavour, FlavourServer> = {
  'llama.cpp': { routes: null, models: [], ownRoutes: {} },
  ollama: {
    routes: usualServers.ollama(),
    models: ['qwen3:4b'],
    ownRoutes: {
      'GET /api/version': { version: '0.12.6' },
      'POST /api/show': { capabilities: ['completion', 'tools'], parameters: '', model_info: {} },
      'GET /api/ps': { models: [{ name: 'smol.gguf', model: 'smol.gguf', context_length: 2_048 }] },
    },
  },
  'lm-studio': {
    routes: usualServers.lmStudio(),
    models: ['qwen2.5-7b', 'gemma-3-4b'],
    ownRoutes: {
      'GET /api/v0/models': {
        data: [{ id: 'smol.gguf', object: 'model', type: 'llm', ...loaded, capabilities: ['tool_use'] }],
      },
    },
  },
  vllm: { routes: usualServers.vllm(), models: ['Qwen/Qwen3-8B'], ownRoutes: {} },
  other: { routes: { 'GET /v1/models': { json: { data: [{ id: 'm' }] } } }, models: ['m'], ownRoutes: {} },
}
