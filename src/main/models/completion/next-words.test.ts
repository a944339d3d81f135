import { describe, expect, it } from 'vitest'
import { wholeWords } from './next-words.ts'

const bytes = (text: string) => [...new TextEncoder().encode(text)]

describe('words from tokens', () => {
  it('are whole characters: what a token begins is completed, and equal words are one', async () => {
    const [first = 0, second = 0] = bytes('猫')
    const chances = [
      { id: 1, bytes: bytes('犬'), share: 0.5 },
      { id: 2, bytes: [first], share: 0.2 },
      { id: 3, bytes: [first, second], share: 0.1 },
      { id: 4, bytes: [0xff], share: 0.1 },
      { id: 5, bytes: [], share: 0.1 },
    ]
    const asked: number[] = []
    const words = await wholeWords(chances, async ({ id }) => {
      asked.push(id)
      return id === 4 ? null : '猫'
    })
    expect(asked).toEqual([2, 3, 4])
    expect(words.map(({ text }) => text)).toEqual(['犬', '猫'])
    expect(words[1]?.share).toBeCloseTo(0.3)
  })
})
