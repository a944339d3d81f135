import { expect, it } from 'vitest'
import { TokenEstimate } from './token-estimate.ts'

const page = 'The sea was dark that night, and the wind came from the west. '.repeat(10)

it('learns from a text of some length, not from a short one that a server has wrapped', () => {
  const estimate = new TokenEstimate()
  const before = estimate.tokens(page)
  estimate.learn('a', 60)
  expect(estimate.tokens(page)).toBe(before)
  estimate.learn(page, before * 2)
  expect(estimate.tokens(page)).toBe(before * 2)
})
