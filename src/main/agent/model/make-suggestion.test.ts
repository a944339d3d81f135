import { describe, expect, it } from 'vitest'
import { AgentTalk, activeModel, decisionText, prompts } from '../../../../tests/fakes/agent/agent-talk.ts'
import { flatMessage, ScriptedClient } from '../../../../tests/fakes/agent/scripted-client.ts'
import type { ModelCapabilities } from '../../models/client/model-client.ts'
import { estimateTextTokens } from '../../tokens/token-estimate.ts'

const forked = { role: 'main', strategy: 'forked', isShort: false, isThinkingOff: true } as const
const standalone = { role: 'main', strategy: 'standalone', isShort: true, isThinkingOff: true } as const

function talking(capabilities: Partial<ModelCapabilities> = {}, contextTokens = 100_000) {
  const client = new ScriptedClient({
    capabilities,
    contextTokens,
    answer: ({ constraint }) => (constraint === undefined ? 'That is how it is.' : decisionText()),
  })
  return { client, talk: new AgentTalk(activeModel(client)) }
}

describe.each([{ hasTools: false }, { hasTools: true }])(
  'a forked suggestion, tools: $hasTools',
  ({ hasTools }) => {
    it('is the last request to the letter, the answer, and one message more', async () => {
      const { client, talk } = talking({ hasTools })
      talk.say('hello')
      await talk.decide()
      await talk.reply()
      const log = [...talk.log]
      const answer = await talk.model.suggest(talk.context, forked, talk.signal.signal)
      const [main, suggestion] = client.requests.slice(-2)
      if (main === undefined || suggestion === undefined) throw new Error('two requests')
      expect(suggestion.messages.slice(0, main.messages.length)).toEqual(main.messages)
      expect(suggestion.messages.slice(main.messages.length).map(({ role }) => role)).toEqual([
        'assistant',
        'user',
      ])
      expect(suggestion.tools).toEqual(main.tools)
      expect(suggestion.toolChoice).toEqual(main.toolChoice)
      expect(suggestion).toMatchObject({
        conversation: main.conversation,
        priority: 'background',
        maxTokens: 64,
        isThinkingOff: true,
      })
      expect(answer).toMatchObject({ kind: 'answer', text: 'That is how it is.', isConstrained: false })
      expect(talk.log).toEqual(log)

      // The next request holds no trace of the suggestion.
      talk.say('and now?')
      await talk.decide()
      const next = client.requests.at(-1)
      expect(next?.messages.map(flatMessage).join('')).not.toContain('SUGGESTION MODE')
      expect(next?.messages.slice(0, main.messages.length)).toEqual(main.messages)
    })
  },
)

describe('a suggestion', () => {
  it('has no prefix to share before the first request', async () => {
    const { client, talk } = talking()
    talk.say('hello')
    const lack = { kind: 'lack', lack: 'no_shared_prefix' }
    expect(await talk.model.suggest(talk.context, forked, talk.signal.signal)).toEqual(lack)
    expect(client.requests).toEqual([])
  })

  it('shares nothing with a prompt that was cut back, begun anew or read by another model', async () => {
    const { client, talk } = talking()
    talk.say('hello')
    await talk.reply()
    const before = [...talk.log]
    talk.say('more')
    await talk.reply()
    const ask = () => talk.model.suggest(talk.context, forked, talk.signal.signal)
    const lack = { kind: 'lack', lack: 'no_shared_prefix' }
    const whole = talk.log
    talk.log = before
    expect(await ask()).toEqual(lack)
    // A log that was read from the store again counts as another prompt, even with the same content.
    talk.log = structuredClone(whole)
    expect(await ask()).toEqual(lack)
    talk.log = whole
    expect(await ask()).toMatchObject({ kind: 'answer' })
    await talk.compact()
    expect(await ask()).toEqual(lack)

    const [one, other] = [talking().client, talking().client]
    let active = activeModel(one)
    const moving = new AgentTalk(active, { activeModel: async () => active })
    moving.say('hello')
    await moving.reply()
    active = activeModel(other)
    expect(await moving.model.suggest(moving.context, forked, moving.signal.signal)).toEqual(lack)
    expect(other.requests).toEqual([])
    expect(client.requests.length).toBeGreaterThan(0)
  })

  it('cuts nothing to make room', async () => {
    const { client, talk } = talking({}, 6_000)
    talk.say('hello')
    await talk.decide()
    await talk.reply()
    const before = client.requests.length
    talk.say('word '.repeat(6_000))
    expect(await talk.model.suggest(talk.context, forked, talk.signal.signal)).toEqual({
      kind: 'lack',
      lack: 'no_room',
    })
    expect(client.requests).toHaveLength(before)
  })

  it('standing alone sends the last forty entries, without tools, for JSON', async () => {
    const { client, talk } = talking({ hasTools: true, constraints: ['json-schema'] })
    for (let i = 0; i < 60; i++) {
      talk.say(`message ${i}`)
      talk.log.push({ turn: talk.turn, role: 'assistant', kind: 'reply', text: `answer ${i}` })
    }
    expect(await talk.model.suggest(talk.context, standalone, talk.signal.signal)).toMatchObject({
      isConstrained: true,
    })
    const request = client.requests.at(-1)
    const text = request?.messages.map(flatMessage).join('\n') ?? ''
    expect(text.match(/message \d+/g)).toHaveLength(20)
    expect(text.match(/answer \d+/g)).toHaveLength(20)
    expect(text).toContain('message 59')
    expect(request).not.toHaveProperty('tools')
    expect(request?.conversation).not.toBe('one')
    expect(request?.constraint?.kind).toBe('json-schema')
  })

  it('has a short prompt of at most sixty tokens', () => {
    for (const { render } of [prompts.ja, prompts.en])
      expect(estimateTextTokens(render('suggestion-short', {}))).toBeLessThanOrEqual(60)
  })
})
