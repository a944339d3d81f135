import { type ClientOf, type Contract, type StreamMethod, withoutAfterSeq } from '../contract/method.ts'
import { AppError } from '../errors.ts'
import type { ClientPort, RequestFrame } from '../wire.ts'
import { ItemQueue } from './item-queue.ts'
import { STREAM_LIMITS, type StreamLimits } from './limits.ts'
import { readResponse } from './read-frame.ts'

/**
 * Creates the caller's end of a connection: a function for each method of the contract.
 *
 * Errors: AppErrors with the host's info; `rpc/closed` for every open request when the connection closes, and
 * for every request after that.
 */
export function connect<C extends Contract>(
  port: ClientPort,
  contract: C,
  options: { limits?: Pick<StreamLimits, 'bufferBytes'> } = {},
): ClientOf<C> {
  const { bufferBytes } = options.limits ?? STREAM_LIMITS
  const open = new Map<number, Receiver>()
  let lastId = 0
  let isClosed = false

  port.onFrame((received: unknown) => {
    const frame = readResponse(received)
    const receiver = frame && open.get(frame.id)
    if (!receiver) return
    if (frame.t === 'item') return receiver.onItem(frame.value)
    open.delete(frame.id)
    if (frame.t === 'failed') receiver.onFailed(new AppError(frame.error))
    else receiver.onEnd(frame.t === 'result' ? frame.value : undefined)
  })

  port.onClose(() => {
    isClosed = true
    for (const [id, receiver] of open) {
      open.delete(id)
      receiver.onFailed(closed())
    }
  })

  const request: OpenRequest = (t, method, input, receiver) => {
    if (isClosed) throw closed()
    lastId += 1
    const id = lastId
    port.send({ t, id, method, input } satisfies RequestFrame)
    open.set(id, receiver)
    return () => {
      if (open.delete(id)) port.send({ t: 'cancel', id })
    }
  }

  const methods = Object.entries(contract).map(([name, method]) => [
    name,
    method.kind === 'call'
      ? (input: unknown, context?: { signal?: AbortSignal }) =>
          callOnce(request, name, input, context?.signal)
      : (input: unknown, context?: { signal?: AbortSignal }) => {
          const stream = { request, name, method, input, signal: context?.signal, bufferBytes }
          // Each iteration is a separate request, sent by its first `next()`.
          return { [Symbol.asyncIterator]: () => new ClientIterator(stream) }
        },
  ])
  // Entry by entry this is what ClientOf says; mapped types cannot be built from entries.
  return Object.fromEntries(methods) as ClientOf<C>
}

async function callOnce(
  request: OpenRequest,
  name: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (signal?.aborted) throw new AppError({ code: 'rpc/aborted' })
  let stopListening: (() => void) | undefined
  try {
    return await new Promise((resolve, reject) => {
      const cancel = request('call', name, input, {
        onItem: () => reject(new Error(`An item for the call ${name}`)),
        onEnd: resolve,
        onFailed: reject,
      })
      const abort = () => {
        cancel()
        reject(new AppError({ code: 'rpc/aborted' }))
      }
      signal?.addEventListener('abort', abort, { once: true })
      stopListening = () => signal?.removeEventListener('abort', abort)
    })
  } finally {
    stopListening?.()
  }
}

function closed(): AppError {
  return new AppError({ code: 'rpc/closed' })
}

type ClientStreamOptions = {
  request: OpenRequest
  name: string
  method: StreamMethod
  input: unknown
  signal: AbortSignal | undefined
  bufferBytes: number
}

type Waiter = { resolve(step: IteratorResult<unknown>): void; reject(error: unknown): void }

const DONE: IteratorResult<unknown> = { done: true, value: undefined }

class ClientIterator implements AsyncIterator<unknown> {
  readonly #options: ClientStreamOptions
  readonly #queue: ItemQueue
  readonly #waiters: Waiter[] = []
  #state: 'new' | 'open' | 'over' = 'new'
  #failure: unknown
  #cancel: (() => void) | undefined

  constructor(options: ClientStreamOptions) {
    this.#options = options
    this.#queue = new ItemQueue(options.method.merge)
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#state === 'new') this.#start()
    const entry = this.#queue.shift()
    if (entry) return Promise.resolve({ done: false, value: entry.value })
    if (this.#failure !== undefined) {
      const failure = this.#failure
      this.#failure = undefined
      return Promise.reject(failure)
    }
    if (this.#state === 'over') return Promise.resolve(DONE)
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  return(): Promise<IteratorResult<unknown>> {
    this.#leave()
    return Promise.resolve(DONE)
  }

  #start(): void {
    const { signal, input } = this.#options
    if (signal?.aborted) {
      this.#finish()
      return
    }
    signal?.addEventListener('abort', this.#leave, { once: true })
    this.#state = 'open'
    this.#open(input)
  }

  #open(input: unknown): void {
    const { request, name } = this.#options
    try {
      this.#cancel = request('stream', name, input, {
        onItem: (value) => this.#take(value),
        onEnd: () => this.#finish(),
        onFailed: (error) => this.#finish(error),
      })
    } catch (error) {
      this.#finish(error)
    }
  }

  #take(value: unknown): void {
    const waiter = this.#waiters.shift()
    if (waiter) {
      waiter.resolve({ done: false, value })
      return
    }
    try {
      this.#queue.push(value)
      if (this.#queue.isOver(this.#options.bufferBytes)) this.#overflow()
    } catch (error) {
      this.#cancel?.()
      this.#finish(error)
    }
  }

  // The host limits itself by the bytes that leave its process; this is the same rule for a reader that received
  // everything and does not read it.
  #overflow(): void {
    const { method, input } = this.#options
    this.#queue.clear()
    this.#cancel?.()
    if (method.slowReader === 'snapshot') this.#open(withoutAfterSeq(input))
    else this.#finish(new AppError({ code: 'rpc/too-slow' }))
  }

  readonly #leave = (): void => {
    this.#queue.clear()
    this.#failure = undefined
    this.#cancel?.()
    this.#finish()
  }

  #finish(failure?: unknown): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#cancel = undefined
    this.#options.signal?.removeEventListener('abort', this.#leave)
    const [first, ...others] = this.#waiters.splice(0)
    if (failure === undefined) first?.resolve(DONE)
    else if (first) first.reject(failure)
    else this.#failure = failure
    for (const waiter of others) waiter.resolve(DONE)
  }
}

/** The receiver of the answers to one id. */
type Receiver = {
  onItem(value: unknown): void
  /** The value of a call's result; nothing for the end of a stream. */
  onEnd(value: unknown): void
  onFailed(error: AppError): void
}

/** Sends a request; returns what cancels it. Throws `rpc/closed`, and for an input that JSON cannot carry. */
type OpenRequest = (t: 'call' | 'stream', method: string, input: unknown, receiver: Receiver) => () => void
