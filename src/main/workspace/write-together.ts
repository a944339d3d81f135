/** Files that are written at a time: a disk syncs several for little more than the price of one. */
const writesTogether = 16

/** Runs `write` for each item, some at a time, and says how each of those ended before the next ones begin. */
export async function* writtenTogether<T>(
  items: readonly T[],
  write: (item: T) => Promise<unknown>,
): AsyncGenerator<{ item: T; result: PromiseSettledResult<unknown> }[], void, void> {
  for (let at = 0; at < items.length; at += writesTogether) {
    const some = items.slice(at, at + writesTogether)
    const results = await Promise.allSettled(some.map(write))
    yield some.flatMap((item, index) => {
      const result = results[index]
      return result === undefined ? [] : [{ item, result }]
    })
  }
}

/** As `writtenTogether`. Errors: the first one by the order of the items; later ones are not begun then. */
export async function writeTogether<T>(
  items: readonly T[],
  write: (item: T) => Promise<unknown>,
): Promise<void> {
  for await (const some of writtenTogether(items, write))
    for (const { result } of some) if (result.status === 'rejected') throw result.reason
}
