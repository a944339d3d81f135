/** Shape: `items` are at work at once, or as many as `cost` in all allows; one is always allowed. */
export type InOrderLimits<I> = { items: number; cost?: { most: number; of(item: I): number } }

/**
 * Works on items ahead of the one whose result is wanted, and gives the results in the order of the items.
 *
 * Results that nobody has taken yet count as at work. Whoever stops early waits for what was begun; its errors
 * are dropped then.
 */
export async function* inOrder<I, O>(
  items: readonly I[],
  work: (item: I) => Promise<O>,
  limits: InOrderLimits<I>,
): AsyncGenerator<O, void, undefined> {
  const begun: { result: Promise<O>; cost: number }[] = []
  let next = 0
  let total = 0
  const begin = (): void => {
    for (; next < items.length && begun.length < limits.items; next++) {
      const item = items[next] as I
      const cost = limits.cost?.of(item) ?? 0
      if (begun.length > 0 && total + cost > (limits.cost?.most ?? 0)) return
      const result = work(item)
      // Read below, in its turn: until then it is no unhandled error.
      result.catch(() => undefined)
      begun.push({ result, cost })
      total += cost
    }
  }
  try {
    for (begin(); begun[0] !== undefined; begin()) {
      const [first] = begun
      const result = await first.result
      begun.shift()
      total -= first.cost
      yield result
    }
  } finally {
    await Promise.allSettled(begun.map(({ result }) => result))
  }
}
