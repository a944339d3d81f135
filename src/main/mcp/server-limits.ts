import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type {
  JsonSchemaType,
  JsonSchemaValidatorResult,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js'

/**
 * Limits of what a server may send. A request from the server counts as a hundred messages: it has to be answered, and
 * answers that the server does not read stay in memory.
 *
 * Units: messages in a second, bytes of one message, ms between two streams that are opened for its messages.
 */
const limits = { messages: 2_000, request: 100, messageBytes: 10_000_000, betweenStreamsMs: 1_000 } as const

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
 * Counts the messages of a server, and ends the server where they are too many. Call this before the client takes over
 * the transport.
 *
 * Shape: returns a function that releases a program and its output, which programs that it started may still hold.
 */
export function holdToLimits(transport: Transport, tooMuch: (why: string) => void): () => void {
  let child: ChildProcess | undefined
  let [since, count] = [performance.now(), 0]
  const start = transport.start.bind(transport)
  transport.start = async () => {
    await start()
    child = kept(programOf(transport))
  }
  const release = (): void => {
    child?.kill('SIGKILL')
    child?.stdout?.destroy()
    child?.stderr?.destroy()
  }
  let isEnded = false
  const end = (why: string): void => {
    if (isEnded) return
    isEnded = true
    tooMuch(why)
    release()
    transport.close().catch(() => undefined)
  }
  const add = (cost: number): void => {
    if (performance.now() - since > 1_000) [since, count] = [performance.now(), 0]
    count += cost
    if (count > limits.messages) end(`more than ${limits.messages} messages in a second`)
  }
  transport.onmessage = (message) => add('method' in message && 'id' in message ? limits.request : 1)
  transport.onerror = ({ message }) => {
    // The SDK would wait four seconds for the program to end by itself, and read what it writes meanwhile.
    if (message.startsWith('ReadBuffer exceeded')) end(`more than ${limits.messageBytes} bytes`)
    else add(1)
  }
  return release
}

function kept(child: ChildProcess | undefined): ChildProcess | undefined {
  if (child === undefined) return undefined
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  return child
}

/** Returns the program of a transport, a private field of the SDK that is empty after closing. */
function programOf(transport: Transport): ChildProcess | undefined {
  return (transport as { _process?: ChildProcess })._process
}

/** `fetch` for a server at an address: a message has a limited length, and streams are not opened without end. */
export function limitedFetch(): FetchLike {
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
    return new Response(response.body.pipeThrough(limitedBody(isStream)), { status, statusText, headers })
  }
}

/** Fails where a body, or one message of a stream, is too long. An empty line ends a message. */
function limitedBody(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const ending = isStream ? Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\n\r\n')) : -1
      length = ending < 0 ? length + bytes.length : bytes.length - ending
      if (length > limits.messageBytes) controller.error(new Error(`more than ${limits.messageBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
