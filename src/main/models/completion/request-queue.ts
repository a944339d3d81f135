import type { Priority } from '../client/model-client.ts'

type Waiting = { priority: Priority; start: () => void }

/**
 * Lets one request run at a time: foreground before background, else in order of arrival. What runs in the
 * background is asked to give way as soon as foreground waits.
 */
export class RequestQueue {
  #isBusy = false
  /** Of the request that runs in the background. */
  #giveWay: (() => void) | undefined
  #waiting: Waiting[] = []

  get length(): number {
    return this.#waiting.length
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /**
   * Waits for the turn; the function returned ends it and may be called twice. `giveWay`: called once it is
   * wanted by the foreground, of a request in the background. Throws the signal's reason.
   */
  async enter(priority: Priority, signal: AbortSignal, giveWay?: () => void): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#isBusy) await this.#wait(priority, signal)
    this.#isBusy = true
    this.#giveWay = priority === 'background' ? giveWay : undefined
    if (this.#isWanted) this.#giveWay?.()
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

  #wait(priority: Priority, signal: AbortSignal): Promise<void> {
    if (priority === 'foreground') this.#giveWay?.()
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        priority,
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

  /** The place stays taken while it is handed over, so that nobody slips in between. */
  #next(): void {
    this.#giveWay = undefined
    const index = Math.max(
      0,
      this.#waiting.findIndex((entry) => entry.priority === 'foreground'),
    )
    const [next] = this.#waiting.splice(index, 1)
    if (next === undefined) this.#isBusy = false
    else next.start()
  }
}
