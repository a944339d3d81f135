import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/fake-draft.ts'
import { type CutRow, findFirstFit } from './first-fit.ts'

function rowOf(totals: readonly number[], options: Partial<CutRow> = {}): CutRow & { probed: number[] } {
  const probed: number[] = []
  return {
    last: totals.length - 1,
    availableTokens: 100,
    guess: 0,
    tokensPerCut: () => 10,
    probe: async (cut) => {
      probed.push(cut)
      return totals[cut] ?? Number.NaN
    },
    ...options,
    probed,
  }
}

describe('the first fit', () => {
  it('needs two counts where the guess is right, three where it is one off', async () => {
    const totals = [150, 140, 130, 120, 110, 99, 90, 80]
    const right = rowOf(totals, { guess: 5 })
    expect((await findFirstFit(right)).fit).toEqual({ cut: 5, tokens: 99 })
    expect(right.probed).toEqual([5, 4])
    const oneOff = rowOf(totals, { guess: 3 })
    expect((await findFirstFit(oneOff)).fit).toEqual({ cut: 5, tokens: 99 })
    expect(oneOff.probed).toEqual([3, 5, 4])
  })

  it('looks behind a predecessor that is only a little too long', async () => {
    const found = await findFirstFit(rowOf([130, 120, 99, 101, 98, 97, 96], { guess: 4 }))
    expect(found.fit).toEqual({ cut: 2, tokens: 99 })
  })

  it('is the first cut where even that fits, and absent where none does', async () => {
    expect((await findFirstFit(rowOf([90, 80, 70], { guess: 2 }))).fit?.cut).toBe(0)
    expect(await findFirstFit(rowOf([130, 120, 110], { guess: 0 }))).toEqual({ smallestTokens: 110 })
  })

  it('finds its way past counts that cannot be told', async () => {
    const totals = Array.from({ length: 900 }, (_, i) => (i < 700 ? Number.POSITIVE_INFINITY : 1000 - i))
    expect((await findFirstFit(rowOf(totals, { availableTokens: 200 }))).fit?.cut).toBe(800)
    const wall = Array.from({ length: 900 }, (_, i) => (i < 700 ? Number.POSITIVE_INFINITY : 50))
    expect((await findFirstFit(rowOf(wall))).fit?.cut).toBe(700)
  })

  it('is the one that a linear search finds, as long as no earlier cut counts over 4 below a later one', async () => {
    for (let seed = 0; seed < 400; seed++) {
      const next = seededRandom(seed)
      const slope = 0.2 + next() * 30
      const totals = Array.from({ length: 1 + Math.floor(next() * 80) }, (_, i) =>
        Math.floor(400 - i * slope + next() * 4),
      )
      const row = rowOf(totals, {
        availableTokens: 380 - Math.floor(next() * 300),
        guess: Math.floor(next() * 100),
        tokensPerCut: () => slope * (0.5 + next()),
      })
      const wanted = totals.findIndex((tokens) => tokens <= row.availableTokens)
      const found = await findFirstFit(row)
      expect(found.fit?.cut ?? -1).toBe(wanted)
      expect(new Set(row.probed).size).toBe(row.probed.length)
    }
  })
})
