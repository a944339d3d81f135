import { describe, expect, it } from 'vitest'
import { type InOrderLimits, inOrder } from './in-order.ts'

async function runAll(costs: number[], limits: InOrderLimits<number>) {
  let running = 0
  let most = 0
  const results: number[] = []
  const work = async (cost: number): Promise<number> => {
    running += 1
    most = Math.max(most, running)
    // The first ends last.
    for (let turns = 20 - cost; turns > 0; turns--) await Promise.resolve()
    running -= 1
    return cost
  }
  for await (const result of inOrder(costs, work, limits)) results.push(result)
  return { results, most }
}

describe('work ahead of its turn', () => {
  it('gives the results in the order of the items, so many at once', async () => {
    const costs = [1, 9, 3, 8, 5, 7]
    expect(await runAll(costs, { items: 3 })).toEqual({ results: costs, most: 3 })
    expect(await runAll([], { items: 3 })).toEqual({ results: [], most: 0 })
  })

  it('keeps to what they cost in all, and lets one that costs more run alone', async () => {
    const cost = { most: 10, of: (item: number) => item }
    expect((await runAll([12, 4, 4, 4], { items: 8, cost })).most).toBe(2)
    expect((await runAll([11, 12], { items: 8, cost })).most).toBe(1)
  })

  it('throws the error of an item in its turn and waits for what was begun', async () => {
    const ended: number[] = []
    const work = async (item: number): Promise<number> => {
      if (item === 2) throw new Error('second')
      for (let turns = 50; turns > 0; turns--) await Promise.resolve()
      ended.push(item)
      return item
    }
    const results: number[] = []
    const all = (async () => {
      for await (const result of inOrder([1, 2, 3, 4], work, { items: 4 })) results.push(result)
    })()
    await expect(all).rejects.toThrow('second')
    expect(results).toEqual([1])
    expect(ended).toEqual([1, 3, 4])
  })
})
