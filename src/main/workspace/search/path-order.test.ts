import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { comparePaths } from '../../platform/files/natural-order.ts'
import { firstPaths } from './path-order.ts'

describe('firstPaths', () => {
  it('gives the same order as comparing whole paths', () => {
    const names = ['a', 'b', '2', '10', '第二章', '第十章', 'a.txt', 'A.txt', '.x', 'ａ']
    for (let seed = 1; seed <= 50; seed++) {
      const random = seededRandom(seed)
      const name = () => names[Math.floor(random() * names.length)] ?? ''
      const paths = new Set(
        Array.from({ length: 60 }, () => Array.from({ length: 1 + random() * 3 }, name).join('/')),
      )
      const wanted = [...paths].sort(comparePaths)
      expect(firstPaths([...paths], 1_000)).toEqual(wanted)
      expect(firstPaths([...paths], 7)).toEqual(wanted.slice(0, 7))
    }
  })
})
