/** Files that are read or written at a time: a disk syncs several for little more than the price of one. */
const filesTogether = 16

/** Calls `work` for each item, some at a time. Shape: how each ended, in the order of the items. */
export async function settledTogether<T, R>(items: readonly T[], work: (item: T) => Promise<R>) {
  const ended: { item: T; result: PromiseSettledResult<R> }[] = []
  for (let at = 0; at < items.length; at += filesTogether) {
    const some = items.slice(at, at + filesTogether)
    const results = await Promise.allSettled(some.map(work))
    for (const [index, item] of some.entries()) {
      const result = results[index]
      if (result !== undefined) ended.push({ item, result })
    }
  }
  return ended
}

/** As `settledTogether`. Errors: the first one by the order of the items; later ones are not begun then. */
export async function mapTogether<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const mapped: R[] = []
  for (let at = 0; at < items.length; at += filesTogether) {
    for (const { result } of await settledTogether(items.slice(at, at + filesTogether), work)) {
      if (result.status === 'rejected') throw result.reason
      mapped.push(result.value)
    }
  }
  return mapped
}
