import { describe, expect, it } from 'vitest'
import { textSimilarity } from './text-similarity.ts'

describe('how alike two texts are', () => {
  it.each([
    ['', '', 1],
    ['run it', 'run it', 1],
    ['abc', '', 0],
    ['abcd', 'abcx', 0.75],
    ['続きを書いて', '続きを書く', 1 - 2 / 6],
    // A family is one grapheme, and é is one however it is written.
    ['👨‍👩‍👧', '👩', 0],
    ['kitten', 'sitting', 1 - 3 / 7],
  ])('%j and %j: %d', (a, b, similarity) => {
    expect(textSimilarity(a, b)).toBeCloseTo(similarity, 10)
    expect(textSimilarity(b, a)).toBeCloseTo(similarity, 10)
  })

  it('ends for long texts', () => {
    expect(textSimilarity('a'.repeat(50_000), 'b'.repeat(50_000))).toBe(0)
  })
})
