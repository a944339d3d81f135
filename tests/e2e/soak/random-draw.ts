import { seededRandom } from '../../fakes/seeded-random.ts'

/** The random source of one action: the same for the same seed and position, independent of earlier actions. */
export type Draw = {
  random(): number
  chance(share: number): boolean
  pick<T>(items: readonly T[]): T
  below(limit: number): number
}

export function drawFor(seed: number, place: number): Draw {
  const random = seededRandom(seed * 100_003 + place * 17)
  random()
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    random,
    below,
    chance: (share) => random() < share,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}
