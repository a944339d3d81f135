/** Runs one piece of work at a time, in the order in which they are added. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Makes a queue. The returned promise has the result or the error of the added work; an error does not stop the
 * work behind it.
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}
