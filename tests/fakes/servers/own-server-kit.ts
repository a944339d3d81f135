import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ServedChoice } from '../../../src/shared/domain/model/model-profile.ts'
import type { CompletionEnd } from '../../../src/shared/domain/model/model-status.ts'
import { seededRandom } from '../seeded-random.ts'
import { tokenId, tokenize } from './fake-tokenizer.ts'
import { sampleGrammar } from './gbnf-sample.ts'
import { createRouteServer, type RouteAnswer, type Routes } from './route-server.ts'

/**
 * The faults of requests for text, from the next one on: `closed-before-headers`, `silent` (nothing comes, not even
 * headers where the server can), `silent-midway` and `cut-in-character` after some text, `garbage` instead of events;
 * `busy-once` refuses one request, as a server that loads or whose queue is full, `busy` all.
 */
export const ownFaults = [
  'closed-before-headers',
  'silent',
  'silent-midway',
  'garbage',
  'cut-in-character',
  'busy-once',
  'busy',
] as const
export type OwnFault = (typeof ownFaults)[number]

/** A running fake of a model server whose API is not OpenAI's. Tests control it by these methods. */
export type OwnServer = {
  choice: ServedChoice
  /** False: it takes no grammar and no schema, as its client says, too. Absent: it obeys a schema. */
  canConstrain?: boolean
  /** The requests so far. */
  requests: readonly { method: string; path: string; body: unknown }[]
  /** Returns whether it has stopped generating. */
  isIdle(): boolean
  /** Plays this fault from the next request for text on. */
  fail(fault: OwnFault): void
  /** Ends every connection and listens no more, as a killed program. */
  die(): void
  close(): Promise<void>
}

/** What a test may ask of the model. `answerTokens`: it ends by itself after as many. */
export type OwnModel = { answerTokens?: number | undefined }

/** Time per token of output: a text is written in pieces. */
const tokenMs = 4
/** The number of tokens before `silent-midway` and `cut-in-character`. */
const piecesBeforeFault = 6
/** Each is one token. Two scripts, so that texts have characters of several bytes. */
const words = [...' the, sea, was, still, and, a, lamp, burned,.,\n,夜,の,港,に,灯,。'.split(',')]

/** A request for text, by the kit's own names. `grammar`: in GBNF, `gbnfOf` makes one of a schema; empty: none. */
type Asked = { prompt: string; maxTokens: number; seed: number; stops?: readonly string[]; grammar?: string }

/** The answer of a path. `write`: a stream of text. `halts`: every answer that is being written ends before it. */
type KitAnswer = { write: Asked } | (RouteAnswer & { halts?: boolean })

type Kit = {
  /** The fields that identify its model. */
  choice(address: string): ServedChoice
  canConstrain?: boolean
  /** What each path (`GET /path`) answers to a request's body. Others are answered by 404. */
  routes: Record<string, (body: never) => KitAnswer>
  /** Returns an event of its stream as it is sent, of a piece of text or of the end, where `text` is empty. */
  event(piece: { text: string; end: Exclude<CompletionEnd, 'aborted'> | null }): string
  /** How it refuses a request for text while it takes none; 503 by default. */
  busy?: RouteAnswer
}

/** Returns JSON as one server-sent event. @public The example of CONTRIBUTING.md uses it. */
export function serverEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** Returns how many tokens a text has for the model of the kit. @public The example of CONTRIBUTING.md uses it. */
export function tokensOf(text: string): number {
  return tokenize(text).length
}

/**
 * Starts a fake of a server that continues a text, with its model: the same text for the same seed and prompt, with
 * 1,000 tokens where nothing ends it before. Plays every fault by itself.
 *
 * @public The example of CONTRIBUTING.md uses it.
 */
export async function startOwnServer(
  { choice, routes, event, canConstrain = true, busy = { status: 503, json: {} } }: Kit,
  { answerTokens = 1_000 }: OwnModel = {},
): Promise<OwnServer> {
  /** Each ends the answer that it belongs to. */
  const answers = new Set<AbortController>()
  let fault: OwnFault | null = null

  function answer(route: Kit['routes'][string], body: unknown): RouteAnswer {
    const told = route(body as never)
    if (!('write' in told)) {
      if (told.halts) for (const one of answers) one.abort()
      return told
    }
    if (fault === 'busy' || fault === 'busy-once') {
      if (fault === 'busy-once') fault = null
      return busy
    }
    return { send: (response) => void write(told.write, response) }
  }

  async function write(asked: Asked, response: ServerResponse): Promise<void> {
    if (fault === 'closed-before-headers') return void response.destroy()
    const halted = new AbortController()
    answers.add(halted)
    response.once('close', () => halted.abort())
    try {
      await stream(asked, response, halted.signal)
    } finally {
      answers.delete(halted)
    }
  }

  async function stream(asked: Asked, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const isHalted = () => signal.aborted || once(signal, 'abort')
    const { pieces, end } = answerTo(asked, answerTokens)
    if (fault === 'silent') return void (await isHalted())
    response.writeHead(200).flushHeaders()
    // Without its quotes it is JSON no more.
    if (fault === 'garbage') return void response.end(event({ text: '夜', end: null }).replaceAll('"', ''))
    for (const [index, text] of pieces.entries()) {
      if (index === piecesBeforeFault && fault === 'silent-midway') return void (await isHalted())
      if (index === piecesBeforeFault && fault === 'cut-in-character') {
        const whole = Buffer.from(event({ text: '港', end: null }))
        return void response.write(whole.subarray(0, whole.indexOf('港') + 2), () => response.destroy())
      }
      await new Promise((resolve) => setTimeout(resolve, tokenMs))
      if (signal.aborted) return void response.end()
      response.write(event({ text, end: null }))
    }
    response.end(event({ text: '', end }))
  }

  const answered = Object.entries(routes).map(([path, route]): [string, Routes[string]] => [
    path,
    ({ body }) => answer(route, body),
  ])
  const server = await createRouteServer(Object.fromEntries(answered))
  return {
    choice: choice(server.address),
    canConstrain,
    requests: server.requests,
    isIdle: () => answers.size === 0,
    fail(next) {
      fault = next
    },
    die: () => void server.close(),
    close: server.close,
  }
}

/** Returns what the model writes: the same for the same seed and prompt, up to the first stop sequence. */
function answerTo({ prompt, maxTokens, seed, stops = [], grammar = '' }: Asked, answerTokens: number) {
  const random = seededRandom(
    tokenize(prompt).reduce((sum, token) => (sum * 31 + tokenId(token)) >>> 0, seed),
  )
  const said =
    grammar === ''
      ? Array.from({ length: answerTokens }, () => words[Math.floor(random() * words.length)] ?? '')
      : tokenize(sampleGrammar(grammar, random) ?? '')
  const pieces = said.slice(0, maxTokens)
  const text = pieces.join('')
  const stopsAt = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1)
  if (stopsAt.length > 0)
    return { pieces: tokenize(text.slice(0, Math.min(...stopsAt))), end: 'stop-sequence' as const }
  return { pieces, end: said.length < maxTokens ? ('stop' as const) : ('length' as const) }
}
