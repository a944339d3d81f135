import { describe, expect, it } from 'vitest'
import {
  AgentTalk,
  activeModel,
  decisionText,
  declarations,
} from '../../../../../tests/fakes/agent/agent-talk.ts'
import { flatMessage, ScriptedClient } from '../../../../../tests/fakes/agent/scripted-client.ts'

const contextTokens = 8_000

function longSession(summary = '- read chapter one') {
  const client = new ScriptedClient({
    contextTokens,
    answer: ({ constraint }) => (constraint === undefined ? summary : decisionText()),
  })
  const talk = new AgentTalk(activeModel(client), {
    toolbox: {
      declarations,
      callSchema: async () => ({ type: 'object', properties: {}, required: [] }),
      filesInUse: () => [
        { path: 'new.txt', from: 1, to: 2 },
        { path: 'gone.txt', from: 1, to: 9 },
        { path: 'huge.txt', from: 1, to: 9_999 },
        { path: 'old.txt', from: 3, to: 4 },
      ],
    },
    readLines: async ({ path }) => {
      if (path === 'gone.txt') return null
      const text = path === 'huge.txt' ? 'long '.repeat(4_000) : `lines of ${path}`
      return { text, hash: `hash of ${path}` }
    },
  })
  talk.log.push({ turn: 0, role: 'system', kind: 'instructions', text: 'House rules.' })
  return { client, talk }
}

async function turns(talk: AgentTalk, count: number, extra = ''): Promise<void> {
  for (let index = 0; index < count; index++) {
    talk.say(`message ${talk.turn + 1} ${extra}`)
    await talk.decide()
    await talk.reply()
  }
}

const lastText = (client: ScriptedClient) => client.requests.at(-1)?.messages.map(flatMessage).join('') ?? ''

describe('a compaction', () => {
  it('leaves summary, files in use and the last three exchanges, and tells the situation anew', async () => {
    const { client, talk } = longSession()
    await turns(talk, 6)
    const before = lastText(client)
    const { summary, tokensBefore, tokensAfter } = await talk.compact()
    expect(lastText(client).startsWith(before)).toBe(true)
    expect(lastText(client)).not.toContain('# What changed in the situation\nTask')
    expect(summary).toBe('- read chapter one')
    expect(tokensAfter).toBeLessThan(tokensBefore)
    expect(talk.log.map(({ kind }) => kind).slice(0, 5)).toEqual([
      'instructions',
      'summary',
      'file',
      'file',
      'message',
    ])
    expect(talk.log.filter(({ kind }) => kind === 'file').map(({ text }) => text)).toEqual([
      'new.txt:1-2\nlines of new.txt',
      'old.txt:3-4\nlines of old.txt',
    ])
    expect(talk.log.filter(({ kind }) => kind === 'message').map(({ turn }) => turn)).toEqual([4, 5, 6])
    await turns(talk, 1)
    const blocks = talk.log.filter(({ kind, turn }) => kind === 'block' && turn === 7)
    expect(blocks[0]?.text).toContain('# Situation')
    expect(blocks[0]?.text).toContain('"rationale"')
    expect(lastText(client)).toContain('# Summary so far\n- read chapter one')
  })

  it('knows the content of every file that it reads again', async () => {
    const { talk } = longSession()
    const file = { path: 'old.txt', hash: 'earlier', from: 1, to: 9 }
    talk.log.push({ turn: 1, role: 'system', kind: 'file', text: '[File: old.txt]\nlines', file })
    await turns(talk, 6)
    await talk.compact()
    expect(talk.log.flatMap((entry) => entry.file ?? [])).toEqual([
      { path: 'new.txt', hash: 'hash of new.txt', from: 1, to: 2 },
      { path: 'old.txt', hash: 'hash of old.txt', from: 3, to: 4 },
    ])
  })

  it('leaves out for good what was cut before, its images and thoughts included', async () => {
    const { talk } = longSession()
    await turns(talk, 3)
    const image = {
      imageId: 'i',
      name: 'a.png',
      mediaType: 'image/png',
      width: 8,
      height: 8,
      sizeBytes: 9,
    } as const
    const thought = { text: 'hm', field: 'reasoning', modelName: 'm' } as const
    talk.log.push(
      { turn: 3, role: 'user', kind: 'file', text: 'old', images: [image] },
      { turn: 3, role: 'assistant', kind: 'work', text: 'said', thought },
      { turn: 3, role: 'user', kind: 'file', text: 'new', images: [image] },
    )
    const entries = [talk.log.length - 3, talk.log.length - 2]
    const cut = { entries, hasNoQuestions: false, hasShortPlan: false }
    talk.log.push({ turn: 3, role: 'system', kind: 'cut', text: '', cut })
    await talk.compact()
    const whole = talk.log.filter(({ images, thought }) => images !== undefined || thought !== undefined)
    expect(whole.map(({ text }) => text)).toEqual(['new'])
  })

  it('keeps five summaries, and fewer where they would take more than a tenth', async () => {
    const { talk } = longSession()
    for (let index = 0; index < 7; index++) {
      await turns(talk, 1)
      await talk.compact()
    }
    expect(talk.log.filter(({ kind }) => kind === 'summary').length).toBe(5)
    const { talk: wordy } = longSession('- word '.repeat(220))
    for (let index = 0; index < 4; index++) {
      await turns(wordy, 1)
      await wordy.compact()
    }
    expect(wordy.log.filter(({ kind }) => kind === 'summary').length).toBeLessThan(3)
  })

  it('is wanted from 80 % of the context on, and is not counted for far below', async () => {
    const { client, talk } = longSession()
    await turns(talk, 1)
    const counted = client.counts
    expect(await talk.model.needsCompaction(talk.context, talk.signal.signal)).toBe(false)
    expect(client.counts).toBe(counted)
    talk.say('x'.repeat(4 * 6_000))
    expect(await talk.model.needsCompaction(talk.context, talk.signal.signal)).toBe(true)
  })

  it('keeps what the user asked for where the model says nothing', async () => {
    const { talk } = longSession(' \n')
    await turns(talk, 2)
    expect((await talk.compact()).summary).toBe('- message 1\n- message 2')
  })

  it('is not wanted again for what it could not shorten', async () => {
    const { talk } = longSession()
    talk.say('x'.repeat(4 * 6_300))
    expect(await talk.model.needsCompaction(talk.context, talk.signal.signal)).toBe(true)
    await talk.compact()
    expect(await talk.model.needsCompaction(talk.context, talk.signal.signal)).toBe(false)
  })

  it('throws the reason of a stop and leaves the log as it was', async () => {
    const { talk } = longSession()
    await turns(talk, 1)
    const { length } = talk.log
    talk.signal.abort(new Error('stopped by the user'))
    await expect(talk.compact()).rejects.toThrow('stopped by the user')
    expect(talk.log.length).toBe(length)
  })
})
