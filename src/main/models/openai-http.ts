import type { APIError } from 'openai'
import type { Stream } from 'openai/streaming'
import { readText } from './http-exchange.ts'
import { openaiFault, openaiStreamFault } from './openai-faults.ts'
import { type ModelServer, ServerHttp } from './server-http.ts'

/** The package's own timer; ours watch by phase. Units: milliseconds, the largest that a timer takes. */
const neverMs = 2 ** 31 - 1

/**
 * The HTTP of a server that speaks OpenAI's API. An address may end with the API's version (`…/v1`), as its
 * maker writes it; the server's own paths begin before it.
 */
export class OpenaiHttp extends ServerHttp {
  /** `/v1`, or the version that the address names. */
  readonly apiPath: string

  constructor(server: ModelServer) {
    const { root, version } = splitAddress(server.address)
    super({ ...server, address: root }, openaiFault)
    this.apiPath = version
  }

  /**
   * Opens a stream of events and reads them by the `openai` package.
   *
   * Shape: each item is one event's JSON, not checked. Errors: `model/…`; the signal's reason.
   */
  async stream(path: string, body: object, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    // Only now: it takes a tenth of a second to load, which the start of the app is not to wait for.
    const openai = await import('openai')
    let failure: unknown
    const client = new openai.OpenAI({
      // Said so that nothing is taken from the environment; the real one is put in by `exchange`.
      apiKey: 'unused',
      organization: null,
      project: null,
      baseURL: this.address,
      maxRetries: 0,
      timeout: neverMs,
      logLevel: 'off',
      fetch: async (_url, init) => {
        try {
          return await this.#answer(path, String(init?.body), signal)
        } catch (error) {
          failure = error
          throw error
        }
      },
    })
    try {
      const events: Stream<unknown> = await client.post(path, { body, stream: true })
      return this.#translated(events, openai.APIError)
    } catch (error) {
      if (failure instanceof Error) throw failure
      throw this.badResponse(String(error), error)
    }
  }

  /** Only what this request needs goes out: the package's own headers tell about this machine. */
  async #answer(path: string, body: string, signal: AbortSignal): Promise<Response> {
    const reply = await this.exchange('POST', path, body, signal)
    if (reply.status !== 200) throw openaiFault(this.address, reply.status, await readText(reply))
    // Some proxies call a stream plain text; a page or plain JSON is none.
    if (/^(text\/event-stream|text\/plain|$)/.test(reply.contentType))
      return new Response(bodyOf(reply.pieces))
    const text = await readText(reply)
    throw this.badResponse(`${reply.contentType || 'no content type'}: ${text.slice(0, 80)}`)
  }

  async *#translated(
    events: Stream<unknown>,
    ApiError: typeof APIError,
  ): AsyncGenerator<unknown, void, void> {
    try {
      yield* events
    } catch (error) {
      if (error instanceof ApiError) throw openaiStreamFault(this.address, error.error)
      if (error instanceof SyntaxError) throw this.badResponse('no JSON in an event', error)
      throw error
    }
  }
}

function splitAddress(address: string): { root: string; version: string } {
  const trimmed = address.replace(/\/+$/, '')
  const version = /\/v\d+$/.exec(trimmed)?.[0] ?? ''
  const root = trimmed.slice(0, trimmed.length - version.length)
  return { root, version: version === '' ? '/v1' : version }
}

/** The pieces as a body that ends the exchange when it is left. */
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
