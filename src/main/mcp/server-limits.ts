import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type {
  JsonSchemaType,
  JsonSchemaValidatorResult,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'

/**
 * Limits of what a server may send. A request from the server counts as a hundred messages: it has to be answered, and
 * answers that the server does not read stay in memory.
 *
 * Units: messages in a second, bytes of one message, ms between two streams that are opened for its messages.
 */
const limits = { messages: 2_000, request: 100, messageBytes: 10_000_000, betweenStreamsMs: 1_000 } as const

const tooLarge: ErrorInfo = { code: 'mcp/too-large', limitBytes: limits.messageBytes }

/** Programs of servers, which are killed with this host: one may not notice that the host has ended. */
const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** Accepts every value: schemas of a server are never compiled or run here, as their patterns could block the host. */
export const noSchemas: jsonSchemaValidator = {
  getValidator:
    <T>(_schema: JsonSchemaType) =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    }),
}

/**
 * Creates the limits of one connection. A server that exceeds one is ended, and `tooMuch` is told why.
 *
 * Shape: `fetch` is for a server at an address. `hold` counts the messages of a transport; call it before the client
 * takes over the transport. `release` releases a program and its output, which programs that it started may still hold.
 */
export function createServerLimits(tooMuch: (why: ErrorInfo) => void) {
  let held: Transport | undefined
  let child: ChildProcess | undefined
  let [since, count] = [performance.now(), 0]
  const release = (): void => {
    child?.kill('SIGKILL')
    child?.stdout?.destroy()
    child?.stderr?.destroy()
  }
  let isEnded = false
  const end = (why: ErrorInfo): void => {
    if (isEnded) return
    isEnded = true
    tooMuch(why)
    release()
    held?.close().catch(() => undefined)
  }
  const add = (cost: number): void => {
    if (performance.now() - since > 1_000) [since, count] = [performance.now(), 0]
    count += cost
    if (count > limits.messages) end({ code: 'mcp/too-many', limit: limits.messages })
  }
  return {
    fetch: limitedFetch(end),
    hold(transport: Transport): void {
      held = transport
      const start = transport.start.bind(transport)
      transport.start = async () => {
        await start()
        // A private field of the SDK, which is empty after closing.
        const { _process: program } = transport as { _process?: ChildProcess }
        if (program === undefined) return
        child = program
        alive.add(program)
        program.once('exit', () => alive.delete(program))
      }
      transport.onmessage = (message) => add('method' in message && 'id' in message ? limits.request : 1)
      transport.onerror = ({ message }) => {
        // The SDK would wait four seconds for the program to end by itself, and read what it writes meanwhile.
        if (message.startsWith('ReadBuffer exceeded')) end(tooLarge)
        else add(1)
      }
    },
    release,
  }
}

/**
 * `fetch` for a server at an address: a message has a limited length, and streams are not opened without end. `tooMuch`
 * is told of a message that is too long: the SDK would only open the stream again, and the call would wait.
 */
export function limitedFetch(tooMuch: (why: ErrorInfo) => void): FetchLike {
  let nextStreamAt = 0
  return async (url, init) => {
    if (init?.method === 'GET') {
      const delay = nextStreamAt - performance.now()
      nextStreamAt = Math.max(performance.now(), nextStreamAt) + limits.betweenStreamsMs
      if (delay > 0) await wait(delay, undefined, init.signal ? { signal: init.signal } : {})
    }
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limitedBody(isStream, tooMuch)), {
      status,
      statusText,
      headers,
    })
  }
}

/** Fails where a body, or one message of a stream, is too long. An empty line ends a message. */
function limitedBody(
  isStream: boolean,
  tooMuch: (why: ErrorInfo) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const ending = isStream ? Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\n\r\n')) : -1
      length = ending < 0 ? length + bytes.length : bytes.length - ending
      if (length <= limits.messageBytes) return controller.enqueue(chunk)
      controller.error(new AppError(tooLarge))
      tooMuch(tooLarge)
    },
  })
}
