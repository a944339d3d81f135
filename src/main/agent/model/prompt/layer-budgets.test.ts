import { describe, expect, it } from 'vitest'
import { AgentTalk, activeModel, decisionText, prompts } from '../../../../../tests/fakes/agent/agent-talk.ts'
import { flatMessage, ScriptedClient } from '../../../../../tests/fakes/agent/scripted-client.ts'
import { LayerTokens } from '../../../../shared/domain/app/app-settings.ts'
import { type AgentState, newAgentState } from '../../../../shared/domain/session/agent-state.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import { fittedSituation, type LeftOut, layerBudgets, situationOf } from './situation.ts'

const figures = LayerTokens.parse({})

const full: AgentState = {
  ...newAgentState(),
  course: {
    goal: 'Mend the calendar.',
    whyNow: 'The table of 1900 is wrong.',
    constraints: ['Keep the public functions.'],
    planBrief: ['first step', 'second step', 'third step'],
    openQuestions: ['what of 1700?', 'what of 1800?'],
  },
  contextRefs: Array.from({ length: 20 }, (_, at) => `file:src/part-${at + 1}.ts`),
  decisionLog: Array.from({ length: 8 }, (_, at) => `decided ${at + 1}`),
}

function fitted(budget: number, state = full) {
  const { situation, left } = fittedSituation({ state, words: prompts.en.situation }, budget)
  const text = Object.values({ ...situation.lines, ...situation.once }).join('\n')
  return { left, text, tokens: estimateTextTokens(text) }
}

describe('the budgets of the layers', () => {
  it('are those of the document at 8,192 tokens, and grow and shrink with the context window', () => {
    expect(layerBudgets(figures, 8_192)).toEqual({ base: 500, main: 800, specialised: 1_200 })
    expect(layerBudgets(figures, 32_768)).toEqual({ base: 2_000, main: 3_200, specialised: 4_800 })
    expect(layerBudgets(figures, 4_096)).toEqual({ base: 250, main: 400, specialised: 600 })
    expect(layerBudgets(figures, null)).toEqual({ base: 500, main: 800, specialised: 1_200 })
  })

  it('leave a situation that fits as it is', () => {
    const whole = situationOf({ state: full, words: prompts.en.situation })
    expect(fitted(800).text).toBe(Object.values({ ...whole.lines, ...whole.once }).join('\n'))
    expect(fitted(800).left).toEqual({ contextRefs: 0, decisionLog: 0, openQuestions: 0, planBrief: 0 })
  })

  it('cut references, decisions, questions and the plan in this order, and say how many are missing', () => {
    const whole = fitted(100_000).tokens
    const seen: LeftOut[] = []
    for (let budget = whole; budget > 0; budget -= 1) {
      const { left, text, tokens } = fitted(budget)
      const isLeast = left.planBrief === 2
      if (!isLeast) expect(tokens).toBeLessThanOrEqual(budget)
      for (const kept of [full.course.goal, full.course.whyNow, 'Keep the public functions.', 'first step'])
        expect(text).toContain(kept)
      const counts = Object.values(left).filter((count) => count > 0)
      expect(text.match(/left out for want of room: \d+/g) ?? []).toEqual(
        expect.arrayContaining(counts.map((count) => `left out for want of room: ${count}`)),
      )
      if (left.decisionLog > 0) expect(left.contextRefs).toBe(20)
      if (left.openQuestions > 0) expect(left.decisionLog).toBe(5)
      if (left.planBrief > 0) expect(left.openQuestions).toBe(2)
      seen.push(left)
    }
    expect(seen.at(-1)).toEqual({ contextRefs: 20, decisionLog: 5, openQuestions: 2, planBrief: 2 })
  })

  it('drop the oldest references and decisions first', () => {
    const { text } = fitted(fitted(100_000).tokens - 20)
    expect(text).not.toContain('part-1.ts')
    expect(text).toContain('part-20.ts')
    expect(text).toContain('decided 8')
  })
})

describe('a request', () => {
  async function asked(layerTokens?: LayerTokens) {
    const client = new ScriptedClient({ contextTokens: 8_192, answer: () => decisionText() })
    const talk = new AgentTalk(activeModel(client), layerTokens && { layerTokens: () => layerTokens })
    talk.state = full
    talk.say('and now?')
    await talk.decide()
    const text = (client.requests[0]?.messages ?? []).map(flatMessage).join('')
    return { text, layers: talk.sent[0]?.meter.layers ?? [] }
  }

  it('shows how much of its budget each layer uses', async () => {
    const { text, layers } = await asked()
    expect(layers.map(({ layer, budgetTokens }) => [layer, budgetTokens])).toEqual([
      ['base', 500],
      ['main', 800],
      ['specialised', 1_200],
    ])
    for (const { usedTokens, budgetTokens, leftOut } of layers) {
      expect(usedTokens).toBeGreaterThan(50)
      expect(usedTokens).toBeLessThanOrEqual(budgetTokens)
      expect(leftOut).toEqual([])
    }
    expect(text).toContain('part-1.ts')
  })

  it('is shortened by the budget that the user set, and both the prompt and the meter say so', async () => {
    const { text, layers } = await asked({ ...figures, main: 200 })
    const main = layers.find(({ layer }) => layer === 'main')
    expect(main?.usedTokens).toBeLessThanOrEqual(200)
    const count = main?.leftOut.find(({ item }) => item === 'contextRefs')?.count ?? 0
    expect(count).toBeGreaterThan(0)
    expect(text).toContain(`(left out for want of room: ${count})`)
    expect(text).not.toContain('part-1.ts')
  })
})
