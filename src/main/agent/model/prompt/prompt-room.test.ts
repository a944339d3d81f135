import { describe, expect, it } from 'vitest'
import { AgentTalk, activeModel, decisionText } from '../../../../../tests/fakes/agent/agent-talk.ts'
import {
  flatMessage,
  ScriptedClient,
  scriptedTokens,
} from '../../../../../tests/fakes/agent/scripted-client.ts'
import { isAppError } from '../../../../shared/errors.ts'

const contextTokens = 6_000

function crowded(evidence: number, options: { hasCounter?: boolean } = {}) {
  const client = new ScriptedClient({ contextTokens, answer: () => decisionText(), ...options })
  const talk = new AgentTalk(activeModel(client))
  talk.state = {
    ...talk.state,
    course: {
      goal: 'the goal',
      whyNow: 'because',
      constraints: ['no clocks'],
      planBrief: ['first step', 'second step', 'third step'],
      openQuestions: ['who is it?'],
    },
  }
  for (let index = 1; index <= evidence; index++) {
    talk.say(`question ${index}`)
    talk.log.push({
      turn: index,
      role: 'assistant',
      kind: 'work',
      text: '',
      calls: [{ callId: `c${index}`, name: 'read_file', args: '{}' }],
    })
    talk.result(`c${index}`, `line of evidence ${index}\n`.repeat(200))
  }
  talk.say('and now?')
  return { client, talk }
}

const flat = (messages: Parameters<typeof flatMessage>[0][]) => messages.map(flatMessage).join('')

describe('a prompt that is too long', () => {
  it('loses its oldest evidence, once, down to 60 %, and the log says so', async () => {
    const { client, talk } = crowded(5)
    await talk.decide()
    const cuts = talk.log.filter(({ kind }) => kind === 'cut')
    expect(cuts.length).toBe(1)
    const [request] = client.requests
    const text = flat([...(request?.messages ?? [])])
    expect(scriptedTokens(request ?? { messages: [] })).toBeLessThanOrEqual(contextTokens * 0.6)
    expect(text).not.toContain('line of evidence 1\n')
    expect(text).toContain('line of evidence 5\n')
    for (const kept of [
      'question 1',
      'the goal',
      'because',
      'no clocks',
      'who is it?',
      'third step',
      '"rationale"',
    ])
      expect(text).toContain(kept)
    // The cut prompt stays as it is, and the next one only adds to it.
    await talk.reply()
    expect(flat([...(client.requests[1]?.messages ?? [])]).startsWith(text)).toBe(true)
    expect(talk.log.filter(({ kind }) => kind === 'cut').length).toBe(1)
  })

  it('loses first what the model thought before its calls, and nothing else where that is enough', async () => {
    const client = new ScriptedClient({
      contextTokens,
      answer: () => 'Done.',
      capabilities: { hasTools: true },
    })
    const talk = new AgentTalk(activeModel(client))
    talk.say('first')
    talk.log.push({
      turn: 1,
      role: 'assistant',
      kind: 'work',
      text: 'Let me see.',
      calls: [{ callId: 'c1', name: 'read_file', args: '{}' }],
      thought: { text: 'hm '.repeat(7_600), field: 'reasoning', modelName: 'scripted' },
    })
    talk.result('c1', 'the evidence')
    await talk.work()
    const text = flat([...(client.requests[0]?.messages ?? [])])
    expect(text).not.toContain('hm hm')
    for (const kept of ['Let me see.', 'the evidence', 'first']) expect(text).toContain(kept)
  })

  it('goes on to summaries, questions and the plan, never to the goal or the user’s words', async () => {
    const { client, talk } = crowded(0)
    talk.log.unshift({ turn: 0, role: 'user', kind: 'summary', text: 'an old summary '.repeat(300) })
    talk.log.push({ turn: 1, role: 'user', kind: 'message', text: 'mine '.repeat(3_200) })
    await talk.decide()
    const text = flat([...(client.requests[0]?.messages ?? [])])
    for (const gone of ['an old summary', 'who is it?', 'second step']) expect(text).not.toContain(gone)
    for (const kept of ['the goal', 'because', 'no clocks', 'first step', 'mine mine', '"rationale"'])
      expect(text).toContain(kept)
  })

  it('that may not be cut further is refused by name', async () => {
    const { client, talk } = crowded(1)
    talk.log.push({ turn: 1, role: 'user', kind: 'message', text: 'mine '.repeat(6_000) })
    await expect(talk.decide()).rejects.toSatisfy((error) => isAppError(error, 'model/context-overflow'))
    expect(client.requests.length).toBe(0)
  })
})

describe('the context meter', () => {
  it('divides the exact count among what fills the context', async () => {
    const { talk } = crowded(2)
    talk.log.unshift({ turn: 0, role: 'system', kind: 'instructions', text: 'Write British English.' })
    await talk.decide()
    const { meter, messages } = talk.sent.at(-1) ?? {}
    expect(meter?.parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(meter?.usedTokens)
    expect(messages?.reduce((sum, message) => sum + (message.tokens ?? 0), 0)).toBe(meter?.usedTokens)
    expect(meter?.parts.map(({ kind }) => kind).sort()).toEqual(
      ['base', 'blocks', 'instructions', 'messages', 'results', 'tools'].sort(),
    )
    expect(meter).toMatchObject({ limitTokens: contextTokens, isEstimate: false })
    expect(messages?.[0]).toMatchObject({ role: 'system' })
    expect(messages?.[0]?.text).toContain('Write British English.')
  })

  it('tells what is shared with the last request, then what the backend itself has counted', async () => {
    const client = new ScriptedClient({
      answer: (_, index) => ({ text: index === 0 ? decisionText() : 'Yes.', reusedTokens: index * 111 }),
    })
    const talk = new AgentTalk(activeModel(client))
    talk.say('Well?')
    await talk.decide()
    await talk.reply()
    const reused = talk.sent.map(({ meter }) => meter.reusedTokens)
    const whole = talk.sent[1]?.meter.usedTokens ?? 0
    expect(reused[0]).toBe(0)
    expect(reused[2]).toBeGreaterThan(whole * 0.9)
    expect(reused[3]).toBe(111)
  })

  it('is an estimate, learned from what requests cost, where the backend cannot count', async () => {
    const { client, talk } = crowded(1, { hasCounter: false })
    await talk.decide()
    const first = talk.sent[0]?.meter
    const real = scriptedTokens(client.requests[0] ?? { messages: [] })
    expect(first?.isEstimate).toBe(true)
    await talk.reply()
    const second = talk.sent.at(-1)?.meter.usedTokens ?? 0
    const wanted = scriptedTokens(client.requests[1] ?? { messages: [] })
    expect(Math.abs(second - wanted) / wanted).toBeLessThan(0.05)
    expect(real).toBeGreaterThan(0)
  })
})
