/** Limits of concurrent work. Shape: `items` at most, and at most `cost.most` in total; one item is always allowed. */
export type InOrderLimits<I> = { items: number; cost?: { most: number; of(item: I): number } }

/**
 * Works on several items at a time, and yields the results in the order of the items.
 *
 * Results that were not yielded yet count towards the limits. A reader that stops early waits for the items that were
 * begun; their errors are dropped then.
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
      // The result is awaited below, in its turn; without this an earlier error would count as unhandled.
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
