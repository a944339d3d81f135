/** How many calls of one connection are at work before the others wait. Units: `spacingMs` milliseconds. */
export type CallTurnLimits = {
  runningCalls: number
  /** While that many are at work, one more begins in each such time: calls that wait for a user hold up nobody. */
  callSpacingMs: number
}

export type CallTurns = {
  /** Begins the call now, or in its turn. Shape: `start` settles when the call is over, and never rejects. */
  add(id: number, start: () => Promise<void>): void
  /** The call does not begin any more. */
  remove(id: number): void
  dispose(): void
}

/**
 * Lets the calls of a connection begin in their order, a few at a time: what one window asks of the disk or of the
 * processor does not stand in front of what the others ask.
 */
export function createCallTurns({ runningCalls, callSpacingMs }: CallTurnLimits): CallTurns {
  const waiting = new Map<number, () => Promise<void>>()
  let running = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function begin(start: () => Promise<void>): void {
    running += 1
    void start().then(() => {
      running -= 1
      // Not at once: other connections are heard in between.
      if (running < runningCalls && waiting.size > 0) wait(0)
    })
  }

  function beginWaiting(): void {
    do {
      const [next] = waiting
      if (next === undefined) break
      waiting.delete(next[0])
      begin(next[1])
    } while (running < runningCalls)
    wait(callSpacingMs)
  }

  function wait(delayMs: number): void {
    clearTimeout(timer)
    timer = waiting.size === 0 ? undefined : setTimeout(beginWaiting, delayMs)
  }

  return {
    add(id, start) {
      if (running < runningCalls && waiting.size === 0) return begin(start)
      waiting.set(id, start)
      if (timer === undefined) wait(callSpacingMs)
    },
    remove(id) {
      waiting.delete(id)
    },
    dispose() {
      waiting.clear()
      clearTimeout(timer)
    },
  }
}
