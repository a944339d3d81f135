/** Steps from 0 to 100. */
const mostPriority = 100

/**
 * Finds priorities for an imported lorebook, whose own numbers may be any, so that their order stays: each is as near to its
 * own number as the others leave room for. More than 101 different numbers share the steps in order.
 *
 * Shape: whole numbers from 0 to 100, by number. Units: as our priorities, where the program's range is another one.
 */
export function prioritiesOf(numbers: readonly number[]): ReadonlyMap<number, number> {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  const last = sorted.length - 1
  if (last > mostPriority)
    return new Map(sorted.map((number, rank) => [number, Math.round((rank / last) * mostPriority)]))
  const priorities = sorted.map(Math.round)
  let most = mostPriority
  for (let at = last; at >= 0; at--) {
    priorities[at] = Math.min(priorities[at] ?? 0, most)
    most = (priorities[at] ?? 0) - 1
  }
  let least = 0
  return new Map(
    sorted.map((number, at) => {
      const priority = Math.max(priorities[at] ?? 0, least)
      least = priority + 1
      return [number, priority]
    }),
  )
}
