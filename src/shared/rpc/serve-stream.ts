import { type StreamMethod, withoutAfterSeq } from '../contract/method.ts'
import { AppError } from '../errors.ts'
import { ItemQueue } from './item-queue.ts'
import type { StreamLimits } from './limits.ts'

/** After this many items in a row the event loop runs: an endless sequence of ready items blocks nothing else. */
const ITEMS_PER_TURN = 256

type StreamRequest = {
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
  const outbox = createOutbox(request)
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
    const release = async () => stopped.iterator.return?.()
    release().catch(request.onLateFailure)
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

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => resolve(), 0))
}

/** How often a full port is checked; no transport reports when it has drained. */
const POLL_MS = 10

/**
 * Sends items at once while the reader keeps up; otherwise holds them back and merges those that can be merged.
 * A stream with `merge` sends at most every `coalesceMs`, the first item of a burst at once.
 */
function createOutbox({
  send,
  bufferedBytes,
  method,
  limits,
}: Pick<StreamRequest, 'send' | 'bufferedBytes' | 'method' | 'limits'>) {
  const { merge } = method
  const queue = new ItemQueue(merge)
  const waiting = new Set<{ isMet(): boolean; settle(isMet: boolean): void }>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const isPortFree = () => bufferedBytes() < limits.portBytes
  const conditions = {
    empty: () => queue.length === 0,
    'half-empty': () => !queue.isOver(limits.bufferBytes / 2),
    'port-free': isPortFree,
  }

  function arm(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      flush()
    }, delayMs)
  }

  function flush(): void {
    let hasSent = false
    while (isPortFree()) {
      const entry = queue.shift()
      if (!entry) break
      send(entry.value)
      hasSent = true
    }
    for (const waiter of waiting) if (waiter.isMet()) waiter.settle(true)
    if (queue.length > 0 || waiting.size > 0) arm(POLL_MS)
    else if (hasSent && merge) arm(limits.coalesceMs)
  }

  return {
    /** Errors: throws what `merge` throws, and for what JSON cannot carry. */
    push(value: unknown): void {
      if (isClosed) return
      const mustWait = timer !== undefined || queue.length > 0 || !isPortFree()
      if (mustWait) queue.push(value)
      else send(value)
      if (mustWait) arm(POLL_MS)
      else if (merge) arm(limits.coalesceMs)
    },
    isFull: (): boolean => queue.isOver(limits.bufferBytes - Math.min(bufferedBytes(), limits.portBytes)),
    /** Resolves to false after `patienceMs` without success. Ends early, with true, on `close`. */
    until(condition: 'empty' | 'half-empty' | 'port-free', patienceMs?: number): Promise<boolean> {
      const isMet = conditions[condition]
      if (isClosed || isMet()) return Promise.resolve(true)
      return new Promise((resolve) => {
        const deadline =
          patienceMs === undefined ? undefined : setTimeout(() => waiter.settle(false), patienceMs)
        const waiter = {
          isMet,
          settle(met: boolean) {
            waiting.delete(waiter)
            if (deadline !== undefined) clearTimeout(deadline)
            resolve(met)
          },
        }
        waiting.add(waiter)
        arm(POLL_MS)
      })
    },
    clear: (): void => queue.clear(),
    /** Sends now as much as the port takes, without waiting for more to merge. */
    flush,
    close(): void {
      isClosed = true
      queue.clear()
      if (timer !== undefined) clearTimeout(timer)
      timer = undefined
      for (const waiter of waiting) waiter.settle(true)
    },
  }
}
