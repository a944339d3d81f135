import type { StreamMethod } from '../contract/method.ts'
import { AppError } from '../errors.ts'
import type { StreamLimits } from './limits.ts'
import { createOutbox } from './outbox.ts'
import { withoutAfterSeq } from './without-after-seq.ts'

/** After this many items in a row the event loop runs: an endless sequence of ready items blocks nothing else. */
const ITEMS_PER_TURN = 256

export type StreamRequest = {
  method: StreamMethod
  input: unknown
  /** Validates the input and asks the service. */
  start(input: unknown, signal: AbortSignal): AsyncIterable<unknown>
  /** Throws for an item that the contract does not allow. */
  check(item: unknown): void
  send(item: unknown): void
  bufferedBytes(): number
  limits: StreamLimits
  onEnd(): void
  onFailed(error: unknown): void
  /** Receives what a service throws while it is stopped. */
  onLateFailure(error: unknown): void
}

/** Pumps a service's items to the reader until either ends. `leave` stops the service. */
export function serveStream(request: StreamRequest): { leave(): void } {
  const { method, limits } = request
  const outbox = createOutbox({
    send: request.send,
    bufferedBytes: request.bufferedBytes,
    merge: method.merge,
    limits,
  })
  let isLeft = false
  let source: Source | undefined

  function open(input: unknown): Source {
    const controller = new AbortController()
    const iterator = request.start(input, controller.signal)[Symbol.asyncIterator]()
    return { controller, iterator, isOver: false }
  }

  function stopSource(): void {
    const stopped = source
    source = undefined
    if (!stopped || stopped.isOver) return
    stopped.controller.abort()
    release(stopped.iterator).catch(request.onLateFailure)
  }

  async function next(from: Source): Promise<IteratorResult<unknown>> {
    try {
      const step = await from.iterator.next()
      from.isOver = step.done === true
      return step
    } catch (error) {
      from.isOver = true
      throw error
    }
  }

  /** Resolves when the reader has taken enough, or the stream has started again; throws `rpc/too-slow` otherwise. */
  async function waitForReader(): Promise<void> {
    if (await outbox.until('half-empty', limits.patienceMs)) return
    outbox.clear()
    if (method.slowReader === 'fail') throw new AppError({ code: 'rpc/too-slow' })
    stopSource()
    await outbox.until('port-free')
    if (!isLeft) source = open(withoutAfterSeq(request.input))
  }

  async function pump(): Promise<void> {
    source = open(request.input)
    for (let count = 1; source; count += 1) {
      const step = await next(source)
      if (isLeft) return
      if (step.done) break
      request.check(step.value)
      outbox.push(step.value)
      if (outbox.isFull()) await waitForReader()
      else if (count % ITEMS_PER_TURN === 0) await turn()
      if (isLeft) return
    }
    outbox.flush()
    await outbox.until('empty')
  }

  async function run(): Promise<void> {
    try {
      await pump()
      if (!isLeft) request.onEnd()
    } catch (error) {
      if (isLeft) {
        request.onLateFailure(error)
        return
      }
      stopSource()
      outbox.flush()
      await outbox.until('empty')
      if (!isLeft) request.onFailed(error)
    } finally {
      outbox.close()
    }
  }

  void run()
  return {
    leave() {
      isLeft = true
      outbox.close()
      stopSource()
    },
  }
}

type Source = { controller: AbortController; iterator: AsyncIterator<unknown>; isOver: boolean }

async function release(iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.()
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => resolve(), 0))
}
