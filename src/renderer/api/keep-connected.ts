import type { ClientOf, Contract } from '../../shared/contract/method.ts'
import { AppError } from '../../shared/errors.ts'
import { connect } from '../../shared/rpc/connect.ts'
import type { ClientPort } from '../../shared/wire.ts'

/** The host does not accept this window: a new link is needed, trying again is of no use. */
export class RefusedError extends Error {
  constructor() {
    super('The host refused this window')
    this.name = 'RefusedError'
  }
}

/**
 * `connecting`: the first attempt, or the one with a new link. `lost`: there is no host; connecting is retried.
 * `refused`: a new link is needed; there is no automatic retry.
 */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused'

/** A client that outlives its connections. Its methods fail with `rpc/closed` while there is none. */
export type Connection<C extends Contract> = {
  client: ClientOf<C>
  state(): ConnectionState
  /** Returns a function that stops listening. */
  onState(listener: (state: ConnectionState) => void): () => void
  /** Tries at once instead of waiting, also after a refusal: the window may have been given a new link. */
  retry(): void
  /** Runs with each new connection before it may be used otherwise; a failure does not keep it from opening. */
  beforeOpen(prepare: (client: ClientOf<C>) => Promise<unknown>): void
  close(): void
}

export type KeepConnectedOptions = {
  /** Errors: `RefusedError` ends the retries; after any other error it is tried again. */
  open(): Promise<ClientPort>
  /** Tells when a try is likely to succeed: the tab came to the front, the network came back. */
  onWake?(listener: () => void): void
  firstDelayMs?: number
  maxDelayMs?: number
  /** How long `beforeOpen` may take. */
  prepareMs?: number
}

/** Opens a connection and opens it again, each time after twice the wait, whenever it is lost. */
export function keepConnected<C extends Contract>(contract: C, options: KeepConnectedOptions): Connection<C> {
  const { firstDelayMs = 250, maxDelayMs = 10_000, prepareMs = 5_000 } = options
  const listeners = new Set<(state: ConnectionState) => void>()
  let state: ConnectionState = 'connecting'
  let inner: ClientOf<C> | undefined
  let port: ClientPort | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let delayMs = firstDelayMs
  let isTrying = false
  /** A retry was requested during an attempt, which may have begun before the window was given its new link. */
  let isAskedAgain = false
  let isClosed = false
  let prepare: ((client: ClientOf<C>) => Promise<unknown>) | undefined

  function enter(next: ConnectionState): void {
    if (state === next) return
    state = next
    for (const listener of [...listeners]) listener(next)
  }

  async function attempt(): Promise<void> {
    timer = undefined
    isTrying = true
    isAskedAgain = false
    let opened: ClientPort
    try {
      opened = await options.open()
    } catch (error) {
      isTrying = false
      if (isClosed) return
      const isRefused = error instanceof RefusedError
      if (isRefused && isAskedAgain) {
        void attempt()
        return
      }
      enter(isRefused ? 'refused' : 'lost')
      if (!isRefused) wait()
      return
    }
    isTrying = false
    if (isClosed) opened.close()
    else await adopt(opened)
  }

  async function adopt(opened: ClientPort): Promise<void> {
    port = opened
    const client = connect(opened, contract)
    delayMs = firstDelayMs
    opened.onClose(() => {
      port = undefined
      inner = undefined
      if (isClosed) return
      enter('lost')
      wait()
    })
    if (prepare) await settled(prepare(client), prepareMs)
    if (port !== opened) return
    inner = client
    enter('open')
  }

  function wait(): void {
    timer = setTimeout(() => void attempt(), delayMs)
    delayMs = Math.min(delayMs * 2, maxDelayMs)
  }

  function retry(): void {
    isAskedAgain = true
    if (isTrying || isClosed || port !== undefined) return
    if (state === 'refused') enter('connecting')
    clearTimeout(timer)
    delayMs = firstDelayMs
    void attempt()
  }

  options.onWake?.(retry)
  void attempt()
  return {
    client: createSteadyClient(contract, () => inner),
    state: () => state,
    onState(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    retry,
    beforeOpen(next) {
      prepare = next
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      timer = undefined
      port?.close()
      enter('lost')
    },
  }
}

/** Resolves when `work` has ended in any way, or after `limitMs`. */
async function settled(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}

/** Creates a client that sends each request to the client of the current connection. */
function createSteadyClient<C extends Contract>(
  contract: C,
  current: () => ClientOf<C> | undefined,
): ClientOf<C> {
  type AnyMethod = (input: unknown, options?: { signal?: AbortSignal }) => unknown
  const closed = () => new AppError({ code: 'rpc/closed' })
  const method = (name: string) => (current() as Record<string, AnyMethod> | undefined)?.[name]

  const methods = Object.entries(contract).map(([name, { kind }]): [string, AnyMethod] => [
    name,
    kind === 'call'
      ? (input, options) => method(name)?.(input, options) ?? Promise.reject(closed())
      : (input, options) => ({
          [Symbol.asyncIterator]() {
            const stream = method(name)?.(input, options) as AsyncIterable<unknown> | undefined
            return stream?.[Symbol.asyncIterator]() ?? { next: () => Promise.reject(closed()) }
          },
        }),
  ])
  return Object.fromEntries(methods) as ClientOf<C>
}
