import type { CompletionRequest, ModelEvents, Priority } from '../client/model-client.ts'
import { checkRequest } from './request-check.ts'
import { PromptReuse } from './request-usage.ts'

type Waiting = { priority: Priority; group: string | undefined; start: () => void }

/**
 * Lets one request run at a time: foreground before background, else in order of arrival. A request in the background
 * is preempted as soon as one in the foreground waits. Requests of the same `group` run at the same time:
 * their caller has made sure that the server has room for all of them.
 */
export class RequestQueue {
  /** The prompts that the requests of this queue left in the server's cache. */
  readonly reuse = new PromptReuse()
  #running = 0
  /** The group of the running requests. */
  #group: string | undefined
  /** Preempts the running request in the background. */
  #preempt: (() => void) | undefined
  #waiting: Waiting[] = []

  get length(): number {
    return this.#waiting.length
  }

  get isBusy(): boolean {
    return this.#running > 0
  }

  /** True where a request of this group would not run at once. */
  mustWait(group: string | undefined): boolean {
    if (!this.isBusy) return false
    return group === undefined || group !== this.#group || this.#isWanted
  }

  /**
   * Waits for the turn; returns a function that ends it, which may be called twice. `preempt`: called for a request in
   * the background when one in the foreground waits. Throws the signal's reason.
   */
  async enter(
    priority: Priority,
    signal: AbortSignal,
    preempt?: () => void,
    group?: string,
  ): Promise<() => void> {
    signal.throwIfAborted()
    if (this.mustWait(group)) await this.#wait(priority, signal, group)
    else this.#running += 1
    this.#group = group
    this.#preempt = priority === 'background' ? preempt : undefined
    if (this.#isWanted) this.#preempt?.()
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      this.#next()
    }
  }

  async run<T>(priority: Priority, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(priority, signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  get #isWanted(): boolean {
    return this.#waiting.some(({ priority }) => priority === 'foreground')
  }

  #wait(priority: Priority, signal: AbortSignal, group: string | undefined): Promise<void> {
    if (priority === 'foreground') this.#preempt?.()
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        priority,
        group,
        start: () => {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry)
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(entry)
    })
  }

  /** Starts the next request. The queue stays busy meanwhile, so that no other request starts in between. */
  #next(): void {
    if (this.#running > 1) {
      this.#running -= 1
      return
    }
    this.#preempt = undefined
    const foreground = this.#waiting.findIndex((entry) => entry.priority === 'foreground')
    const [next] = this.#waiting.splice(Math.max(0, foreground), 1)
    if (next === undefined) {
      this.#running = 0
      this.#group = undefined
      return
    }
    this.#start(next)
  }

  /** Starts a request together with all waiting ones of its group. */
  #start(next: Waiting): void {
    const { group } = next
    this.#group = group
    next.start()
    if (group === undefined) return
    const together = this.#waiting.filter((entry) => entry.group === group)
    this.#waiting = this.#waiting.filter((entry) => entry.group !== group)
    this.#running += together.length
    for (const entry of together) entry.start()
  }
}

/**
 * Queues a completion, reports the wait, and ends it as every client does: a stop is a normal end, and so is the end of
 * a completion in the background that one in the foreground preempts.
 *
 * Shape: `run` gets a signal for both. Errors: `model/bad-request`, and errors of `run` before either of these.
 */
export async function* inTurn(
  queue: RequestQueue,
  request: Omit<CompletionRequest, 'prompt'>,
  userSignal: AbortSignal,
  run: (signal: AbortSignal) => ModelEvents,
): ModelEvents {
  checkRequest(request)
  const preemption = new AbortController()
  const signal = AbortSignal.any([userSignal, preemption.signal])
  let leave: (() => void) | undefined
  try {
    if (queue.mustWait(request.group)) yield { type: 'phase', phase: 'queued', progress: null }
    const { priority = 'foreground', group } = request
    leave = await queue.enter(priority, signal, () => preemption.abort(), group)
    let isDone = false
    for await (const event of run(signal)) {
      isDone = event.type === 'done'
      yield event
    }
    // An engine that is reading a long prompt may end without a last event.
    if (!isDone && signal.aborted) yield { type: 'done', stopReason: 'aborted' }
  } catch (error) {
    if (!signal.aborted) throw error
    yield { type: 'done', stopReason: 'aborted' }
  } finally {
    leave?.()
  }
}
