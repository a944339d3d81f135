import { describe, expect, it } from 'vitest'
import { sizeOf } from '../tools/defining/result-text.ts'
import { createReferenceBudget } from './reference-budget.ts'

const note = '[...cut]'

/** Creates a budget whose tokenizer makes one token of `perToken` bytes. */
function budgetOf(contextTokens: number | null, limitBytes = 16_384, perToken = 1) {
  const counted: string[] = []
  const count = async (text: string): Promise<number> => {
    counted.push(text)
    return Math.ceil(sizeOf(text) / perToken)
  }
  return { counted, budget: createReferenceBudget({ contextTokens, limitBytes, count }) }
}

describe('the room for files', () => {
  it('is so many bytes of each, and no character is cut in two', async () => {
    const { budget } = budgetOf(null, 10)
    expect(await budget.fit('H', 'ああああ', note)).toEqual({
      text: `H\nあああ\n${note}`,
      shown: 'あああ',
      isCut: true,
    })
    expect(await budget.fit('H', 'a😀😀😀', note)).toMatchObject({ shown: 'a😀😀' })
    expect(await budget.fit('H', '0123456789', note)).toMatchObject({ text: 'H\n0123456789', isCut: false })
  })

  it('is a quarter of the context for one', async () => {
    const { budget } = budgetOf(400)
    const { text, isCut } = await budget.fit('H', 'x'.repeat(300), note)
    expect(isCut).toBe(true)
    expect(sizeOf(text)).toBeLessThanOrEqual(100)
    expect(sizeOf(text)).toBeGreaterThan(80)
  })

  it('is half of it for all; then only the last line is left of each', async () => {
    const { budget } = budgetOf(400)
    const sizes: number[] = []
    for (let at = 0; at < 3; at++) sizes.push((await budget.fit('H', 'x'.repeat(90), note)).text.length)
    expect(sizes.slice(0, 2)).toEqual([92, 92])
    expect(sizes[2]).toBeLessThanOrEqual(16)
    expect(await budget.fit('H', 'x'.repeat(90), note)).toEqual({
      text: `H\n${note}`,
      shown: '',
      isCut: true,
    })
  })

  it('is not counted where the bytes alone fit', async () => {
    const { budget, counted } = budgetOf(400)
    await budget.fit('H', 'x'.repeat(50), note)
    await budget.fit('H', 'x'.repeat(50), note)
    expect(counted).toEqual([])
  })

  it('is counted where tokens are longer than bytes', async () => {
    const { budget, counted } = budgetOf(400, 16_384, 4)
    expect(await budget.fit('H', 'x'.repeat(300), note)).toMatchObject({ isCut: false })
    expect(counted).toHaveLength(1)
  })

  it('needs nothing for an empty file', async () => {
    const { budget } = budgetOf(400)
    expect(await budget.fit('[File: a]', '', note)).toEqual({ text: '[File: a]\n', shown: '', isCut: false })
  })
})
