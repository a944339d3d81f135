import { describe, expect, it } from 'vitest'
import { commonEnds, textSimilarity } from './text-similarity.ts'

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

it.each([
  ['猫が鳴く', '犬が鳴く', 0, 3],
  // What is shared at the beginning does not count at the end again.
  ['aa', 'aaa', 2, 0],
  [['a\n', 'b\n'], ['a\n', 'c\n', 'b\n'], 1, 1],
  ['', 'a', 0, 0],
])('%j and %j share %d at the beginning, %d at the end', (left, right, head, tail) => {
  expect(commonEnds(left, right)).toEqual({ head, tail })
})
