import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

type Found = { status: number; body: unknown; headers?: Record<string, string> }
type Answerer = (path: string, request: IncomingMessage) => Found

/** Servers that a search for models may meet, as far as their GETs tell them apart. */
export const otherServerNames = [
  'ollama',
  'lm-studio',
  'vllm',
  /** llama.cpp's before it dropped Ollama's routes. */
  'older-llama-server',
  /** llama.cpp's without a model of its own. */
  'llama-router',
  /** A development server that sends its page for every path. */
  'page-for-all',
  /** Listens and says nothing at all. */
  'silent',
] as const
export type OtherServerName = (typeof otherServerNames)[number]

export type OtherServer = {
  address: string
  /** `METHOD path`, in order. */
  requests: string[]
  close(): Promise<void>
}

export type OtherServerOptions = {
  /** 0: any free port. */
  port?: number
  modelName?: string
}

/**
 * Starts a server of another make.
 *
 * Source: llama-server as measured; the router's bodies are recorded, the others read.
 */
export async function startOtherServer(
  name: OtherServerName,
  options: OtherServerOptions = {},
): Promise<OtherServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const answer = name === 'silent' ? null : answerers[name](options.modelName ?? standardModels[name])
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    request.resume()
    if (answer !== null) send(response, answer(new URL(request.url ?? '/', 'http://x').pathname, request))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await listen(server, options.port ?? 0)
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

function send(response: ServerResponse, { status, body, headers = {} }: Found): void {
  const isText = typeof body === 'string'
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
  response.writeHead(status, { 'Content-Type': type, ...headers })
  response.end(isText ? body : JSON.stringify(body))
}

const standardModels = {
  ollama: 'qwen3:4b',
  'lm-studio': 'qwen3-4b',
  vllm: 'Qwen/Qwen3-4B',
  'older-llama-server': 'older.gguf',
  'llama-router': 'smol',
  'page-for-all': '',
} satisfies Record<Exclude<OtherServerName, 'silent'>, string>

const answerers: Record<Exclude<OtherServerName, 'silent'>, (model: string) => Answerer> = {
  ollama:
    (model) =>
    (path, { method }) => {
      if (path === '/') return { status: 200, body: 'Ollama is running' }
      if (path === '/api/version') return ok({ version: '0.12.3' })
      if (path === '/api/tags') return ok({ models: [ollamaModel(model)] })
      if (path === '/v1/models') return ok(modelList([{ ...modelEntry(model), owned_by: 'library' }]))
      const isKnown = ['/api/chat', '/api/generate', '/v1/chat/completions'].includes(path)
      return { status: isKnown && method === 'GET' ? 405 : 404, body: '404 page not found' }
    },

  'lm-studio':
    (model) =>
    (path, { method }) => {
      if (path === '/v1/models')
        return ok(modelList([{ id: model, object: 'model', owned_by: 'organization_owner' }]))
      if (path === '/api/v0/models') {
        const state = { state: 'loaded', max_context_length: 32_768, loaded_context_length: 8_192 }
        const kind = { type: 'llm', publisher: 'qwen', arch: 'qwen3', compatibility_type: 'gguf' }
        return ok(modelList([{ id: model, object: 'model', ...kind, quantization: 'Q4_K_M', ...state }]))
      }
      // Unknown paths are answered with 200: only the body tells.
      return ok({ error: `Unexpected endpoint or method. (${method} ${path}). Returning 200 anyway` })
    },

  vllm: (model) => (path) => {
    if (path === '/health') return { status: 200, body: '' }
    if (path === '/version') return ok({ version: '0.11.0' })
    if (path === '/v1/models') {
      const entry = {
        ...modelEntry(model),
        owned_by: 'vllm',
        root: model,
        parent: null,
        max_model_len: 32_768,
      }
      return ok(modelList([{ ...entry, permission: [] }]))
    }
    return { status: 404, body: { detail: 'Not Found' } }
  },

  'older-llama-server': (model) => (path) => {
    const headers = { Server: 'llama.cpp' }
    const meta = {
      vocab_type: 2,
      n_vocab: 49_152,
      n_ctx_train: 8_192,
      n_embd: 576,
      n_params: 134_515_008,
      size: 1,
    }
    const models = [{ ...ollamaModel(model), capabilities: ['completion'] }]
    const list = { models, ...modelList([{ ...modelEntry(model), owned_by: 'llamacpp', meta }]) }
    if (path === '/health') return { status: 200, body: { status: 'ok' }, headers }
    // Ollama's path is answered with llama.cpp's list.
    if (['/v1/models', '/models', '/api/tags'].includes(path)) return { status: 200, body: list, headers }
    if (path === '/props') {
      const default_generation_settings = { n_ctx: 4_096 }
      const props = { default_generation_settings, total_slots: 1, model_path: model, chat_template: '' }
      return { status: 200, body: { ...props, build_info: 'b5000-0000000' }, headers }
    }
    const error = { code: 404, message: 'File Not Found', type: 'not_found_error' }
    return { status: 404, body: { error }, headers }
  },

  'llama-router':
    (model) =>
    (path, { method }) => {
      const headers = { Server: 'llama.cpp' }
      if (path === '/health') return { status: 200, body: { status: 'ok' }, headers }
      if (path === '/v1/models') return { status: 200, body: routerModels(model), headers }
      if (path === '/props') return { status: 200, body: routerProps, headers }
      const isKnown = method === 'POST' || path === '/slots'
      const error = isKnown
        ? { code: 400, message: 'model name is missing from the request', type: 'invalid_request_error' }
        : { message: 'File Not Found', type: 'not_found_error', code: 404 }
      return { status: error.code, body: { error }, headers: { ...headers, Connection: 'close' } }
    },

  'page-for-all': () => () => ({
    status: 200,
    body: '<!doctype html>\n<title>app</title>\n<div id="root"></div>\n',
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  }),
}

function ok(body: unknown): Found {
  return { status: 200, body }
}

function modelList(data: unknown[]): Record<string, unknown> {
  return { object: 'list', data }
}

function modelEntry(id: string): Record<string, unknown> {
  return { id, object: 'model', created: 1_795_300_000 }
}

function ollamaModel(name: string): Record<string, unknown> {
  const details = { parent_model: '', format: 'gguf', family: 'qwen3', families: ['qwen3'] }
  return {
    name,
    model: name,
    modified_at: '2026-11-01T00:00:00Z',
    size: 2_620_788_019,
    digest: '0'.repeat(64),
    details: { ...details, parameter_size: '4.0B', quantization_level: 'Q4_K_M' },
  }
}

function routerModels(model: string): Record<string, unknown> {
  const args = ['llama-server', '--port', '0', '--alias', model, '--model', `${model}.gguf`]
  const status = { value: 'unloaded', args, preset: `[${model}]\nmodel = ${model}.gguf\n\n` }
  const architecture = { input_modalities: ['text'], output_modalities: ['text'] }
  const entry = {
    id: model,
    aliases: [],
    tags: [],
    object: 'model',
    owned_by: 'llamacpp',
    created: 1_795_300_456,
  }
  return {
    data: [{ ...entry, status, architecture, source: 'models_dir', can_remove: false }],
    object: 'list',
  }
}

const routerProps = {
  role: 'router',
  max_instances: 4,
  models_autoload: false,
  model_alias: 'llama-server',
  model_path: 'none',
  default_generation_settings: { params: null, n_ctx: 0 },
  ui_settings: {},
  build_info: 'b0-unknown',
  cors_proxy_enabled: false,
}
