import { describe, expect, it } from 'vitest'
import { AgentTalk, activeModel, decisionText } from '../../../../tests/fakes/agent/agent-talk.ts'
import { flatMessage, ScriptedClient } from '../../../../tests/fakes/agent/scripted-client.ts'
import type { ChatRequest } from '../../models/client/model-client.ts'

/** A model that decides, works and replies by what it is asked. */
function obedient(request: ChatRequest) {
  const isNative = request.tools !== undefined
  if (request.toolChoice === 'auto')
    return { text: 'Reading.', calls: [{ id: 'x', name: 'read_file', arguments: '{"path":"a.txt"}' }] }
  const last = request.messages.at(-1)?.content ?? ''
  if (request.constraint === undefined) return 'That is how it is.'
  return !isNative && last.includes('"calls"')
    ? '{"calls":[{"tool":"read_file","args":{"path":"a.txt"}}]}'
    : decisionText()
}

/** Twenty turns: a question, work with a result, a change of course, a side question now and then. */
async function playTwentyTurns(talk: AgentTalk): Promise<void> {
  for (let turn = 1; turn <= 20; turn++) {
    talk.say(`message ${turn}`)
    if (turn % 3 === 0) talk.state = { ...talk.state, course: { ...talk.state.course, goal: `goal ${turn}` } }
    await talk.decide()
    if (turn % 2 === 0) {
      const { calls } = await talk.work('PLANNING')
      for (const { callId } of calls) talk.result(callId, `result of turn ${turn}`)
      await talk.work('PLANNING')
    }
    if (turn % 5 === 0) await talk.beside(`and what about ${turn}?`)
    await talk.reply()
  }
}

/** The prompt as one text, without what closes the last message. */
const flat = ({ messages }: ChatRequest) => messages.map(flatMessage).join('')

describe.each([
  { api: 'calls as JSON', hasTools: false },
  { api: 'native calls', hasTools: true },
])('the prompt of a session, $api', ({ hasTools }) => {
  const client = new ScriptedClient({ capabilities: { hasTools }, contextTokens: 100_000, answer: obedient })
  const talk = new AgentTalk(activeModel(client))

  it('only grows: each request begins with the one before and its answer', async () => {
    await playTwentyTurns(talk)
    expect(client.requests.length).toBe(20 + 20 + 20 + 4)
    for (const [index, request] of client.requests.entries()) {
      const before = client.requests[index - 1]
      if (before === undefined) continue
      expect(flat(request).startsWith(flat(before))).toBe(true)
      expect(request.messages.length).toBeGreaterThan(before.messages.length)
      expect(JSON.stringify(request.tools)).toBe(JSON.stringify(before.tools))
    }
  })

  it('counts each prompt once', () => {
    expect(client.counts).toBe(client.requests.length)
  })

  it('tells everything once, and then only what has changed', () => {
    const blocks = talk.log.filter(({ kind }) => kind === 'block').map(({ text }) => text)
    expect(blocks.filter((text) => text.includes('# Situation')).length).toBe(1)
    expect(blocks.filter((text) => text.includes('Step: PLANNING')).length).toBe(1)
    const goals = blocks.flatMap((text) => /Goal: .*/.exec(text)?.[0] ?? [])
    expect(goals).toEqual(
      ['Goal: none', 'goal 3', 'goal 6', 'goal 9', 'goal 12', 'goal 15', 'goal 18'].map((goal, index) =>
        index === 0 ? goal : `Goal: ${goal}`,
      ),
    )
    expect(blocks.filter((text) => text.includes('"rationale"')).length).toBe(1)
    expect(blocks.filter((text) => text.includes('Make a plan')).length).toBe(1)
  })

  it('has one system message and no clock or counter in it', () => {
    const heads = client.requests.map(({ messages }) => messages.filter(({ role }) => role === 'system'))
    expect(heads.every((head) => head.length === 1)).toBe(true)
    expect(new Set(heads.map((head) => head[0]?.content)).size).toBe(1)
    const head = heads[0]?.[0]?.content ?? ''
    expect(head).not.toMatch(/\d{1,2}:\d{2}|\b20\d\d\b/)
    expect(client.requests.map(flat).at(-1)).not.toMatch(/\d{1,2}:\d{2}:\d{2}/)
  })

  it('never has neighbours of one role, but for the results of calls', () => {
    for (const { messages } of client.requests) {
      for (const [index, { role }] of messages.entries())
        if (role !== 'tool') expect(messages[index - 1]?.role).not.toBe(role)
    }
  })

  it('ends with the user or a tool, and offers tools only to work', () => {
    for (const { messages, toolChoice, tools } of client.requests) {
      expect(['user', 'tool']).toContain(messages.at(-1)?.role)
      expect(tools === undefined).toBe(!hasTools)
      if (hasTools) expect(['auto', 'none']).toContain(toolChoice)
    }
  })
})
