import type { AddressInfo, Socket } from 'node:net'
import type { Answer, Generation, Payload } from './kobold/fake-model.ts'
import { Generator } from './kobold/generation.ts'
import { answerGet } from './kobold/get-routes.ts'
import { answerPost } from './kobold/post-routes.ts'
import { createRawServer, type RawReply } from './kobold/raw-http.ts'
import { sendHtmlError, sendJson } from './kobold/replies.ts'

/** Faults from the next request on; a test may change them at any time. Units: tokens of the fake's vocabulary. */
export type KoboldFaults = {
  /** Closes a stream without an end after this many tokens. */
  cutAfterTokens?: number
  /** Only the next stream is cut. */
  cutsOnce?: boolean
  /** Sends no more after this many tokens and keeps the connection open; 0: not even headers. */
  hangAfterTokens?: number
  /** The stream's events are no JSON, and other answers are HTML. */
  isGarbage?: boolean
  /** Characters that streams lose but `check` returns (BPE vocabularies). */
  losesCharacters?: string
  /** Closes the connection of each request for a count. */
  dropsCounts?: boolean
  /** Sends the last event and never closes. */
  neverCloses?: boolean
  /** Closes the connection of each stream before its headers. */
  dropsStreams?: boolean
  /** Closes a stream in the middle of its third event's character. */
  cutsInCharacter?: boolean
  /** The number of streams that are still refused by 503, as by a full queue. */
  busy?: number
  /** Dies during a generation after this many tokens, like a killed process. */
  diesAfterTokens?: number
}

export type FakeKoboldOptions = {
  /** 0: any free port. */
  port?: number
  modelName?: string
  /** False: a model whose prompts begin without a BOS token, as Qwen's do. */
  hasBos?: boolean
  contextTokens?: number
  password?: string
  /** 1 running + `queueLimit` waiting; 0: `--multiuser 0`. */
  queueLimit?: number
  answer?: Answer
  /** Characters that the model held unlikely wherever it wrote them. */
  unlikely?: string
  /** What could have been written for the first token, besides it. Empty: part of a character, which the server drops. */
  otherChances?: readonly string[]
  /** The model's answer under a grammar; without it a sample of the grammar. */
  grammarAnswer?: (prompt: string) => string
  /** Time per token of output. */
  tokenMs?: number
  /** Time per token of prompt that is not in the cache. */
  promptTokenMs?: number
  /** Keeps what it has read of a text whose beginning is cut, as with context shift. */
  shiftsCache?: boolean
  version?: string
  /** Also answers with the delays of the measured server: 50 ms per request, 350 ms until a stream's first data. */
  isPaced?: boolean
  preloadStory?: unknown
}

/** One request as it came, with what the tests count. */
export type LoggedRequest = {
  method: string
  path: string
  headers: Map<string, string>
  body: unknown
  /** Of generate requests: what the model read, after the silent cut. */
  generation?: {
    payload: Payload
    promptTokens: number
    /** Prompt tokens that the model had already read or written on the request before. */
    sharedTokens: number
    isCut: boolean
  }
}

export type FakeKobold = {
  address: string
  requests: LoggedRequest[]
  faults: KoboldFaults
  options: FakeKoboldOptions
  /** The running generation, or the last one. */
  readonly current: Generation | null
  readonly openSockets: number
  readonly isDead: boolean
  /** As a killed process: every connection is reset and new ones are refused. */
  die(): void
  close(): Promise<void>
}

/**
 * Starts a fake of KoboldCpp 1.76 as recorded: a real HTTP/1.0 server with its queue, its pauses and its faults.
 *
 * Source: recorded exchanges of KoboldCpp 1.76; `fake-kobold.test.ts` replays them.
 */
export async function startFakeKobold(options: FakeKoboldOptions = {}): Promise<FakeKobold> {
  const sockets = new Set<Socket>()
  const requests: LoggedRequest[] = []
  let isDead = false
  const fake: FakeKobold = {
    address: '',
    requests,
    faults: {},
    options: { ...options },
    get current() {
      return generator.current
    },
    get openSockets() {
      return sockets.size
    },
    get isDead() {
      return isDead
    },
    die() {
      isDead = true
      generator.abortAll()
      for (const socket of sockets) socket.resetAndDestroy()
      server.close()
    },
    async close() {
      if (!isDead) fake.die()
      if (server.listening) await new Promise((resolve) => server.once('close', resolve))
    },
  }
  const generator = new Generator(fake)
  const server = createRawServer(
    (request, reply) => {
      const logged: LoggedRequest = {
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: undefined,
      }
      requests.push(logged)
      if (fake.faults.isGarbage === true && request.method === 'GET')
        return sendHtmlError(reply, request.method)
      if (request.method === 'GET' || request.method === 'HEAD')
        return answerGet(fake, generator, request, reply)
      if (request.method === 'POST') return void answerPost(fake, generator, request, reply, logged)
      if (request.method === 'OPTIONS') return sendJson(reply, '200 OK', undefined)
      return sendHtmlError(reply, request.method)
    },
    (reply: RawReply) =>
      sendJson(reply, '500 Internal Server Error', {
        detail: { msg: 'Payload is too big. Max payload size is 32MB.', type: 'bad_input' },
      }),
  )
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  fake.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return fake
}
