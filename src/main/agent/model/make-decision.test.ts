import { describe, expect, it } from 'vitest'
import { AgentTalk, activeModel, decisionText } from '../../../../tests/fakes/agent/agent-talk.ts'
import { ScriptedClient, type ScriptedOptions } from '../../../../tests/fakes/agent/scripted-client.ts'
import { seededRandom } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { sampleGrammar } from '../../../../tests/fakes/servers/gbnf-sample.ts'
import { isAppError } from '../../../shared/errors.ts'
import { grammarOf } from '../../models/completion/json-schema-grammar.ts'
import { decisionSchema, shortSchema } from '../decision/decision-format.ts'
import { readDecision } from '../decision/read-decision.ts'
import { answerGrammar } from './answer-grammar.ts'

function talk(options: ScriptedOptions) {
  const client = new ScriptedClient(options)
  const one = new AgentTalk(activeModel(client))
  one.say('What is in here?')
  return { client, one }
}

describe('a decision', () => {
  it('is asked for as JSON, without thinking and without calls', async () => {
    const { client, one } = talk({ capabilities: { hasTools: true }, answer: () => decisionText() })
    const { decision, isRepaired } = await one.decide()
    expect(decision.next_step).toBe('continue')
    expect(isRepaired).toBe(false)
    const [request] = client.requests
    expect(request).toMatchObject({ isThinkingOff: true, toolChoice: 'none', conversation: 'one' })
    expect(request?.constraint?.kind).toBe('json-schema')
    expect(request?.sampler.repeatPenalty).toBe(1)
    expect(one.text).toBe('')
    expect(one.log.at(-1)).toMatchObject({ kind: 'decision', text: decisionText() })
  })

  it('leaves thoughts out of its limit, and keeps room for them from then on', async () => {
    const { client, one } = talk({
      answer: (_, at) =>
        at === 0
          ? { text: '{"rationale":', reasoning: 'Hm. '.repeat(50), end: 'length' }
          : { text: decisionText(), reasoning: 'Hm.' },
    })
    expect((await one.decide()).decision.next_step).toBe('continue')
    await one.decide()
    const [first = 0, second = 0, third = 0] = client.requests.map(({ maxTokens }) => maxTokens)
    expect(client.requests).toHaveLength(3)
    // The answer was only cut off, so the request is repeated with the same messages.
    expect(client.requests[1]?.messages).toEqual(client.requests[0]?.messages)
    expect(second).toBe(first + 8_192)
    expect(third).toBeGreaterThan(first)
    expect(client.requests[0]?.sampler).toMatchObject({ temperature: 0.2, repeatPenalty: 1 })
  })

  it('is a grammar of our own where a client takes one and has no native tools', async () => {
    const { client, one } = talk({
      capabilities: { constraints: ['gbnf', 'json-schema'] },
      answer: () => decisionText(),
    })
    await one.decide()
    expect(client.requests[0]?.constraint?.kind).toBe('gbnf')
  })

  it('is read by the ladder where nothing can be constrained', async () => {
    const said = `<think>hm</think>Sure!\n\`\`\`json\n${decisionText({ step: 'PLANNING' })}\n\`\`\``
    const { client, one } = talk({ capabilities: { constraints: [] }, answer: () => said })
    const { decision } = await one.decide()
    expect(decision.step).toBe('PLANNING')
    expect(client.requests[0]?.constraint).toBeUndefined()
    expect(one.log.at(-1)?.text).toBe(decisionText({ step: 'PLANNING' }))
  })

  it('is asked for once more with the validator’s message, and the failed try is forgotten', async () => {
    const bad = decisionText().replace('"continue"', '"go"')
    const { client, one } = talk({ answer: (_, index) => (index === 0 ? bad : decisionText()) })
    await one.decide()
    const [first, second] = client.requests
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages)
    expect(second?.messages.at(-2)).toMatchObject({ role: 'assistant', content: bad.slice(0, 600) })
    expect(second?.messages.at(-1)?.content).toContain('next_step')
    expect(one.log.map(({ kind }) => kind)).toEqual(['message', 'block', 'decision'])
  })

  it('that was cut is never used; the second try is held to shorter texts', async () => {
    const { client, one } = talk({
      contextTokens: 6_000,
      answer: (_, index) => (index === 0 ? { text: decisionText(), end: 'length' } : decisionText()),
    })
    await one.decide()
    const lengths = client.requests.map(({ constraint }) =>
      constraint?.kind === 'json-schema'
        ? (constraint.schema.properties as Record<string, { maxLength: number }>).rationale?.maxLength
        : 0,
    )
    expect(lengths[1]).toBeLessThan(lengths[0] ?? 0)
    expect(client.requests[1]?.messages.at(-1)?.role).toBe('user')
  })

  it('fails closed after two tries', async () => {
    const { client, one } = talk({ answer: () => 'I would rather not.' })
    await expect(one.decide()).rejects.toSatisfy((error) => isAppError(error, 'model/bad-decision'))
    expect(client.requests.length).toBe(2)
    expect(one.log.length).toBe(1)
  })

  it('throws the reason of a stop', async () => {
    const { one } = talk({ answer: () => decisionText() })
    one.signal.abort(new Error('stopped by the user'))
    await expect(one.decide()).rejects.toThrow('stopped by the user')
  })
})

describe('the grammar of a decision', () => {
  it('writes only what the validator takes, in the order of the keys, without control tokens', () => {
    const grammar = answerGrammar(decisionSchema, true)
    for (let seed = 1; seed <= 40; seed++) {
      const text = sampleGrammar(grammar, seededRandom(seed)) ?? ''
      const reading = readDecision(text)
      expect(reading.ok).toBe(true)
      expect(text.replace(/^\{|"(?:constraints|plan_brief|open_questions)":\[/g, '')).not.toMatch(/<|\[\w/)
      expect(text.replace(/"(?:[^"\\]|\\.)*"/g, '""')).not.toMatch(/\s/)
    }
  })

  it('differs from the plain one in what a character is, and nowhere else', () => {
    const rest = (grammar: string) => grammar.replace(/^(?:char|unit|escape) ::= .*$/gm, '').trim()
    expect(rest(answerGrammar(decisionSchema))).toBe(rest(grammarOf(decisionSchema)))
    // What the engine's own rules are called may change: none may stay as it was.
    const free = /^(\w+) ::= \[\^(?!<)/m
    expect(grammarOf(decisionSchema)).toMatch(free)
    expect(answerGrammar(decisionSchema)).not.toMatch(free)
    expect(answerGrammar(decisionSchema, true)).not.toMatch(free)
  })
})

describe('a short schema', () => {
  const longest = (schema: Record<string, unknown>) => {
    const grammar = answerGrammar(schema, true)
    // Always the last choice and the most of each length.
    return sampleGrammar(grammar, () => 0.999_999)?.length ?? 0
  }

  it('ends within what it was given, as long as that is not less than the shortest', () => {
    for (const maxTokens of [1_100, 1_500, 2_000]) {
      const short = shortSchema(decisionSchema, maxTokens, 1)
      expect(longest(short)).toBeLessThanOrEqual(maxTokens)
    }
  })

  it('is the schema itself where there is room', () => {
    expect(shortSchema(decisionSchema, 4_000, 0.5)).toBe(decisionSchema)
  })
})
