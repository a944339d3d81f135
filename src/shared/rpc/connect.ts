import type { ClientOf, Contract } from '../contract/method.ts'
import { AppError, type ErrorInfo } from '../errors.ts'
import type { ClientPort, RequestFrame } from '../wire.ts'
import { createClientStream } from './client-stream.ts'
import { STREAM_LIMITS, type StreamLimits } from './limits.ts'
import type { OpenRequest, Receiver } from './open-request.ts'
import { readResponse } from './read-frame.ts'

export type ConnectOptions = { limits?: Pick<StreamLimits, 'bufferBytes'> }

/**
 * Creates the caller's end of a connection: a function for each method of the contract.
 *
 * Errors: AppErrors with the host's info; `rpc/closed` for every open request when the connection closes, and
 * for every request after that.
 */
export function connect<C extends Contract>(
  port: ClientPort,
  contract: C,
  options: ConnectOptions = {},
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
      : (input: unknown, context?: { signal?: AbortSignal }) =>
          createClientStream({ request, name, method, input, signal: context?.signal, bufferBytes }),
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
        onItem: () => reject(unexpected(name)),
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
  return new AppError({ code: 'rpc/closed' } satisfies ErrorInfo)
}

function unexpected(name: string): Error {
  return new Error(`An item for the call ${name}`)
}
