import type { OpenAI } from 'openai'
import type { Stream } from 'openai/streaming'
import type { z } from 'zod'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { ChatBody, CompletionBody } from '../openai/openai-payload.ts'
import { openaiFault, openaiStreamFault } from './openai-faults.ts'
import { type ModelServer, readText, ServerHttp } from './server-http.ts'

/** Switches off the package's own timeout; ours depend on the phase. Units: ms, the most that a timer takes. */
const neverMs = 2 ** 31 - 1

/**
 * HTTP to a server with OpenAI's API: that API is called with the `openai` package, over our exchange, and the server's
 * own paths directly. An address may end with the API's version (`…/v1`), as its maker writes it; the server's own
 * paths begin before that.
 */
export class OpenaiHttp extends ServerHttp {
  /** `/v1`, or the version that the address names. */
  readonly apiPath: string

  constructor(server: ModelServer) {
    const { root, version } = splitAddress(server.address)
    super({ ...server, address: root }, openaiFault)
    this.apiPath = version
  }

  /** Opens `chat/completions` as a stream. Shape: each item is one event's JSON, not checked. */
  chat(body: ChatBody, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    return this.#stream((client) => client.chat.completions.create(body), signal)
  }

  /** Opens `completions` as a stream; as `chat`. */
  complete(body: CompletionBody, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    return this.#stream((client) => client.completions.create(body), signal)
  }

  /** Opens a stream of events at a path of the server's own; as `chat`. */
  stream(path: string, body: object, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const url = `${this.address}${path}`
    return this.#stream((client) => client.post<Stream<unknown>>(url, { body, stream: true }), signal)
  }

  /** Returns the models that the server lists. */
  async models<T extends z.ZodType>(shape: T, signal: AbortSignal): Promise<z.output<T>> {
    const text = await this.control(signal, async (until) => {
      // Read unparsed, since the package accepts any JSON as a list.
      const response = await this.#ask((client) => client.models.list().asResponse(), until)
      return response.text()
    })
    return this.readAs(`${this.apiPath}/models`, text, shape)
  }

  async #stream(
    ask: (client: OpenAI) => PromiseLike<Stream<unknown>>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<unknown>> {
    return this.#translated(await this.#ask(ask, signal))
  }

  /** Asks by a client of the `openai` package. Errors: `model/…`; the signal's reason. */
  async #ask<T>(ask: (client: OpenAI) => PromiseLike<T>, signal: AbortSignal): Promise<T> {
    // Loaded only now: it takes a tenth of a second, which must not delay the start of the app.
    const { OpenAI } = await import('openai')
    let failure: unknown
    const client = new OpenAI({
      // Given so that none is taken from the environment; `exchange` sends the real key.
      apiKey: 'unused',
      organization: null,
      project: null,
      baseURL: `${this.address}${this.apiPath}`,
      maxRetries: 0,
      timeout: neverMs,
      logLevel: 'off',
      // Keeps the error, since the package would replace it by its own.
      fetch: async (url, init) => {
        try {
          return await this.#fetch(String(url), init ?? {}, signal)
        } catch (error) {
          failure = error
          throw error
        }
      },
    })
    try {
      return await ask(client)
    } catch (error) {
      if (failure instanceof Error) throw failure
      throw this.badResponse(String(error), error)
    }
  }

  /** Sends only what the request needs, without the package's headers, which tell about this machine. */
  async #fetch(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const path = new URL(url).pathname.slice(new URL(this.address).pathname.replace(/\/$/, '').length)
    if (init.method?.toUpperCase() === 'GET') {
      const reply = await this.answered(await this.exchange('GET', path, undefined, signal))
      return new Response(bodyOf(reply.pieces))
    }
    const reply = await this.answered(await this.exchange('POST', path, String(init.body), signal))
    // Some proxies declare a stream as plain text; a web page or JSON is not a stream.
    if (/^(text\/event-stream|text\/plain|$)/.test(reply.contentType))
      return new Response(bodyOf(reply.pieces))
    const text = await readText(reply)
    throw this.badResponse(`${reply.contentType || 'no content type'}: ${text.slice(0, 80)}`)
  }

  async *#translated(events: Stream<unknown>): AsyncGenerator<unknown, void, void> {
    try {
      yield* events
    } catch (error) {
      const { APIError } = await import('openai')
      if (error instanceof APIError) throw openaiStreamFault(this.address, error.error)
      if (error instanceof SyntaxError) throw this.badResponse('no JSON in an event', error)
      throw error
    }
  }
}

function splitAddress(address: string): { root: string; version: string } {
  const trimmed = withoutEnd(address, '/')
  const version = /\/v\d+$/.exec(trimmed)?.[0] ?? ''
  const root = trimmed.slice(0, trimmed.length - version.length)
  return { root, version: version === '' ? '/v1' : version }
}

/** Returns the pieces as a body that ends the exchange when it is cancelled. */
function bodyOf(pieces: AsyncIterable<Uint8Array>): ReadableStream {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
