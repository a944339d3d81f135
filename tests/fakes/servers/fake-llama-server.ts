import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type AnswerScript, type Fault, type FaultName, faultOf } from './llama/answer.ts'
import { LlamaCore, type LlamaCounts, type LoggedRequest } from './llama/core.ts'
import { getRoute } from './llama/get-routes.ts'
import { answerPost } from './llama/post-routes.ts'
import { fixedErrors, Refusal } from './llama/refusal.ts'
import type { TemplateName } from './llama/requests/chat-template.ts'
import { parseJson } from './llama/requests/json-reader.ts'
import { playWholeFault, writeBody } from './llama/whole-faults.ts'
import { Reply } from './llama/wording/reply.ts'

export type LlamaOptions = {
  /** What the model says; without it prose, or the sample of a grammar or schema that the request asks for. */
  answer?: AnswerScript
  /** A fault of every request, the GETs too, or of those for which the function returns one. */
  fault?: FaultName | Fault | ((request: LoggedRequest) => FaultName | Fault | undefined)
  /** 0: any free port. */
  port?: number
  /** `-c`: of all slots together. */
  contextTokens?: number
  /** `--parallel`. */
  slots?: number
  /** As without `--parallel`: four slots share the context, and each claims all of it. */
  sharesContext?: boolean
  apiKey?: string
  template?: TemplateName
  /** Time per token of output. */
  tokenMs?: number
  /** Time per token of prompt that is not in the cache. */
  promptTokenMs?: number
  /** `--alias`, else the file's name. */
  alias?: string
  /** `--cache-ram`; 0: none. */
  cacheRamMiB?: number
  /** Interval of comments in a stream without other data. */
  pingMs?: number
  /** Still loading: everything is 503 until it is set to false on `options`. */
  isLoading?: boolean
  /** False: `--no-slots`. */
  hasSlotsRoute?: boolean
  /** `--props`. */
  hasPropsPost?: boolean
  /** Control tokens that this model has beside the usual ones. */
  specialTokens?: string[]
  /** The control tokens in place of the usual ones, which are ChatML's. */
  usualTokens?: string[]
  /** User-defined tokens of the model: they are recognised with and without special tokens. */
  userTokens?: string[]
  /** `--mmproj`: it takes images. */
  hasVision?: boolean
  /** False: `--no-jinja`. */
  hasJinja?: boolean
  /** Answers of a server of another kind, by method and path. */
  ownRoutes?: Readonly<Record<string, unknown>>
}

export type FakeLlamaServer = {
  address: string
  /** What was asked, in order. */
  requests: LoggedRequest[]
  counts: LlamaCounts
  /** Errors thrown by scripts; the connection of the request was reset. */
  scriptErrors: unknown[]
  /** `answer`, `fault`, the times and `isLoading` are read anew for each request. */
  options: LlamaOptions
  readonly openSockets: number
  /** Requests that run or wait for a slot. */
  readonly pendingCount: number
  /** Prompts of these requests. */
  readonly pendingPrompts: string[]
  /** Refuses new connections, as before a start or after a crash; running requests live on. */
  refuse(): void
  /** Listens again at the same address. */
  accept(): Promise<void>
  /** As a killed process: every connection is reset and new ones are refused. */
  die(): void
  close(): Promise<void>
}

/**
 * Creates a fake of llama.cpp's server as recorded: a real HTTP server with its slots, its prompt cache, its refusals
 * and its peculiarities, and any answer or fault that a test wants from it.
 *
 * Source: llama-server as measured and recorded; `fake-llama-server.test.ts` replays them.
 */
export async function createFakeLlamaServer(options: LlamaOptions = {}): Promise<FakeLlamaServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ keepAliveTimeout: 5_000, keepAliveTimeoutBuffer: 0, requestTimeout: 0 })
  const core = new LlamaCore({ ...options }, () => void server.close())
  const fake: FakeLlamaServer = {
    address: '',
    requests: core.requests,
    counts: core.counts,
    scriptErrors: core.scriptErrors,
    options: core.options,
    get openSockets() {
      return sockets.size
    },
    get pendingCount() {
      return core.pool.pendingCount
    },
    get pendingPrompts() {
      return core.pool.pendingPrompts.map((tokens) => core.vocabulary.decode(tokens))
    },
    refuse: core.refuse,
    async accept() {
      if (!server.listening) await listen(Number(new URL(fake.address).port))
    },
    die() {
      server.close()
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async close() {
      const closed = new Promise((resolve) => server.once('close', resolve))
      const wasListening = server.listening
      fake.die()
      if (wasListening) await closed
    },
  }
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  server.on('request', (request, response) => void serve(core, request, response))
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await listen(options.port ?? 0)
  fake.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return fake
}

async function serve(core: LlamaCore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = new Reply(request, response)
  try {
    const bytes = await readBytes(request)
    const { method = '', url = '/', headers } = request
    const logged: LoggedRequest = { method, path: url, headers, body: readBody(bytes) }
    core.requests.push(logged)
    const { fault: given } = core.options
    const fault = faultOf(typeof given === 'function' ? given(logged) : given)
    if (fault !== null && (await playWholeFault(fault, reply, core.faultPlace))) return
    reply.fault = fault
    await answer(core, reply, logged, bytes)
  } catch (error) {
    if (error instanceof Refusal && !reply.hasBegun) reply.json(error.status, error.body)
    else if (!reply.gone.aborted) {
      // A test's script threw, or the fake has a bug: neither may look like an answer.
      core.scriptErrors.push(error)
      reply.reset()
    }
  }
}

async function answer(core: LlamaCore, reply: Reply, logged: LoggedRequest, bytes: Buffer): Promise<void> {
  const url = new URL(logged.path, 'http://127.0.0.1')
  if (logged.method === 'OPTIONS') return reply.options()
  if (core.options.isLoading === true) return reply.json(...fixedErrors.loading)
  if (!isAuthorized(core, url.pathname, logged)) return reply.json(...fixedErrors.unauthorized)
  const own = core.options.ownRoutes?.[`${logged.method} ${url.pathname}`]
  if (own !== undefined) return reply.json(200, own)
  if (logged.method === 'GET' || logged.method === 'HEAD') {
    return writeBody(reply, ...getRoute(core, url))
  }
  if (logged.method === 'POST') return answerPost(core, reply, url.pathname, () => parseJson(bytes))
  return reply.json(...fixedErrors.notFound)
}

/** `Bearer KEY`, the bare key or `X-Api-Key`; "bearer" is refused. */
function isAuthorized(core: LlamaCore, path: string, { headers }: LoggedRequest): boolean {
  const { apiKey } = core.options
  if (apiKey === undefined || ['/health', '/v1/health', '/'].includes(path)) return true
  const given = String(headers.authorization ?? headers['x-api-key'] ?? '')
  return given === apiKey || given === `Bearer ${apiKey}`
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function readBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return bytes.toString('utf8')
  }
}
