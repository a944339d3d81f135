import type { Merge } from '../contract/method.ts'
import { ItemQueue } from './item-queue.ts'
import type { StreamLimits } from './limits.ts'

/** How often a full port is checked; no transport reports when it has drained. */
const POLL_MS = 10

export type OutboxOptions = {
  send(value: unknown): void
  bufferedBytes(): number
  merge: Merge<unknown> | undefined
  limits: StreamLimits
}

/** The items of one stream on their way to the port. */
export type Outbox = {
  /** Errors: throws what `merge` throws, and for what JSON cannot carry. */
  push(value: unknown): void
  isFull(): boolean
  /** Resolves to false after `patienceMs` without success. Ends early, with true, on `close`. */
  until(condition: 'empty' | 'half-empty' | 'port-free', patienceMs?: number): Promise<boolean>
  /** Drops the waiting items. */
  clear(): void
  /** Sends now as much as the port takes, without waiting for more to merge. */
  flush(): void
  close(): void
}

/**
 * Sends items at once while the reader keeps up; otherwise holds them back and merges those that can be merged.
 * A stream with `merge` sends at most every `coalesceMs`, the first item of a burst at once.
 */
export function createOutbox({ send, bufferedBytes, merge, limits }: OutboxOptions): Outbox {
  const queue = new ItemQueue(merge)
  const waiting = new Set<{ isMet(): boolean; settle(isMet: boolean): void }>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const conditions = {
    empty: () => queue.length === 0,
    'half-empty': () => !queue.isOver(limits.bufferBytes / 2),
    'port-free': () => isPortFree(),
  }

  function isPortFree(): boolean {
    return bufferedBytes() < limits.portBytes
  }

  function arm(delayMs: number): void {
    timer ??= setTimeout(tick, delayMs)
  }

  function tick(): void {
    timer = undefined
    flush()
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
    push(value) {
      if (isClosed) return
      const mustWait = timer !== undefined || queue.length > 0 || !isPortFree()
      if (mustWait) queue.push(value)
      else send(value)
      if (mustWait) arm(POLL_MS)
      else if (merge) arm(limits.coalesceMs)
    },
    isFull: () => queue.isOver(limits.bufferBytes - Math.min(bufferedBytes(), limits.portBytes)),
    until(condition, patienceMs) {
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
    clear: () => queue.clear(),
    flush,
    close() {
      isClosed = true
      queue.clear()
      if (timer !== undefined) clearTimeout(timer)
      timer = undefined
      for (const waiter of waiting) waiter.settle(true)
    },
  }
}
