/** Runs one piece of work at a time, in the order in which they are added. */
export type SerialQueue = {
  <T>(work: () => Promise<T>): Promise<T>
  /** Resolves once no work is left, also none that was added meanwhile. */
  idle(): Promise<void>
}

/** Makes a queue; `add` settles as its work does, and an error does not stop the work behind it. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
  const idle = async () => {
    for (let seen: unknown; seen !== last; await last) seen = last
  }
  return Object.assign(inTurn, { idle })
}

/** Makes a queue for each key, which is forgotten once it is empty. */
export function createKeyedQueue<K>(): <T>(key: K, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<K, { inTurn: SerialQueue; waiting: number }>()
  return async (key, work) => {
    const queue = queues.get(key) ?? { inTurn: createSerialQueue(), waiting: 0 }
    queues.set(key, queue)
    queue.waiting += 1
    try {
      return await queue.inTurn(work)
    } finally {
      queue.waiting -= 1
      if (queue.waiting === 0) queues.delete(key)
    }
  }
}
