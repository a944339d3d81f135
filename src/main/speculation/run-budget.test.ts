import { expect, it } from 'vitest'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import { RunBudget, runLimits } from './run-budget.ts'

const usage: ModelUsage = {
  promptTokens: 1000,
  reusedTokens: 990,
  isReuseEstimated: false,
  completionTokens: 1500,
  msPrompt: 0,
  msTotal: 0,
  tokensPerSecond: 0,
  isExact: true,
}

it('lets a request write what is left, and none where nothing is', () => {
  const budget = new RunBudget()
  expect(budget.leftTokens).toBe(4000)
  for (const left of [2500, 1000, 0]) {
    budget.begin()
    budget.spend(usage)
    expect(budget.leftTokens).toBe(left)
  }
  expect(budget.spent).toEqual({ promptTokens: 3000, reusedTokens: 2970, completionTokens: 4500 })
})

it('ends with its turns, also where nobody counts tokens', () => {
  const budget = new RunBudget()
  for (let turn = 0; turn < runLimits.turns; turn++) {
    expect(budget.leftTokens).toBe(runLimits.outputTokens)
    budget.begin()
    budget.spend(null)
  }
  expect([budget.turns, budget.leftTokens]).toEqual([20, 0])
})
