import { describe, expect, it } from 'vitest'
import { continuationPosition } from './continuation-position.ts'

describe('where a continuation goes', () => {
  it.each([
    ['前。\n', 3],
    ['前。@endpoint 後。', 2],
    ['前。@// @endpoint は注記\n', 20],
    ['a@endpoint b', 12],
    ['捨。@endpoint\n@break前。@endpoint後', 20],
    ['前。@endpoint\n@break残り', 20],
  ])('%j → %i', (source, position) => {
    expect(continuationPosition(source)).toBe(position)
  })
})
