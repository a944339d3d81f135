import { describe, expect, it } from 'vitest'
import { AgentTalk, activeModel, decisionText } from '../../../../../tests/fakes/agent/agent-talk.ts'
import { ScriptedClient } from '../../../../../tests/fakes/agent/scripted-client.ts'

/** Plays a server whose cache keeps `kept` tokens, one figure for each request; the last figure is repeated. */
async function play(...kept: number[]) {
  const client = new ScriptedClient({
    capabilities: { hasTools: true },
    contextTokens: 60_000,
    answer: (request, at) => ({
      text: request.constraint === undefined ? 'Well.' : decisionText(),
      reusedTokens: kept[Math.min(at, kept.length - 1)] ?? 0,
    }),
  })
  const talk = new AgentTalk(activeModel(client))
  for (let turn = 0; turn < 4; turn++) {
    talk.say('Go on. '.repeat(100))
    await talk.decide()
    await talk.work()
  }
  return client.requests.map(({ tools }) => tools !== undefined)
}

describe('native tools', () => {
  it('stay where the cache keeps the head', async () => {
    expect(await play(100_000)).toEqual(Array.from({ length: 8 }, () => true))
  })

  it('move into our own text where forbidding calls costs the cache, for good', async () => {
    const isNative = await play(0, 100_000, 10)
    expect(isNative.slice(0, 3)).toEqual([true, true, true])
    expect(isNative.slice(-4)).toEqual([false, false, false, false])
  })

  it('stay where a server says that it never read anything from a cache', async () => {
    expect(await play(0)).toEqual(Array.from({ length: 8 }, () => true))
  })
})
