import type { StreamMethod } from '../contract/method.ts'
import { AppError } from '../errors.ts'
import { ItemQueue } from './item-queue.ts'
import type { OpenRequest } from './open-request.ts'
import { withoutAfterSeq } from './without-after-seq.ts'

export type ClientStreamOptions = {
  request: OpenRequest
  name: string
  method: StreamMethod
  input: unknown
  signal: AbortSignal | undefined
  bufferBytes: number
}

/** Creates a stream for a reader. Each iteration is a separate request, sent by its first `next()`. */
export function createClientStream(options: ClientStreamOptions): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => new ClientIterator(options) }
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
