/** Partly wrong answers of a model: usable calls are carried out, and the model is told about the others. */
import { describe, expect, it } from 'vitest'
import type { CallItem } from '../../../src/shared/domain/session/session-item.ts'
import { calls, justAnswer, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.txt`)
const files = Object.fromEntries(names.map((name) => [name, `text of ${name}\n`]))

describe('an answer with calls that cannot be used', () => {
  it('loses none of the eight good ones to a broken one, and tells the model what it received', async () => {
    const reads = names.map((path) => ({ name: 'read_file', arguments: { path } }))
    const broken = { name: 'read_file', arguments: '{"path": "a.txt"; "from": 1}' }
    const answer: Thought = { toolCalls: [...reads.slice(0, 4), broken, ...reads.slice(4)] }
    const host = await scriptedHost([workIn('PLANNING'), answer, noCalls, ...justAnswer('Read.')], { files })
    await host.say('Read all of it.')
    await host.rest()
    const made = (await host.items()).filter((item): item is CallItem => item.kind === 'call')
    expect(made.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 4 }, () => 'done'),
      'refused',
      ...Array.from({ length: 4 }, () => 'done'),
    ])
    const told = made[4]?.text ?? ''
    expect(told).toContain('{"path": "a.txt"; "from": 1}')
    expect(told).toContain('read_file {path: string, from?: integer, to?: integer}')
    expect((await host.items()).filter(({ kind }) => kind === 'error')).toEqual([])
    expect(JSON.stringify(host.llama.requests)).toContain('read_file {path: string')
    expect(host.bugs).toEqual([])
  })

  it('runs a call whose strings were only spelt wrongly', async () => {
    const answer: Thought = { toolCalls: [{ name: 'read_file', arguments: '{"path": "a.txt",\n}' }] }
    const host = await scriptedHost([workIn('PLANNING'), answer, noCalls, ...justAnswer('Read.')], { files })
    await host.say('Read it.')
    await host.rest()
    const made = (await host.items()).filter(({ kind }) => kind === 'call')
    expect(made).toMatchObject([{ state: 'done', text: expect.stringContaining('text of a.txt') }])
  })

  it('goes on behind four unusable calls in one answer, beside a usable one', async () => {
    const bad = ['fly', 'soar', 'glide', 'land'].map((name) => ({ name, arguments: {} }))
    const mixed: Thought = { toolCalls: [...bad, { name: 'read_file', arguments: { path: 'a.txt' } }] }
    const host = await scriptedHost([workIn('PLANNING'), mixed, plan('go'), ...justAnswer('Planned.')], {
      files,
    })
    await host.say('Plan it.')
    await host.rest()
    const made = (await host.items()).filter((item): item is CallItem => item.kind === 'call')
    expect(made.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'fly refused',
      'soar refused',
      'glide refused',
      'land refused',
      'read_file done',
      'propose_plan done',
    ])
    expect(made[0]?.text).toContain('read_file')
  })

  it('carries out nothing of an answer that its length has cut', async () => {
    const cut: Thought = {
      toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }],
      finish: 'length',
    }
    const again = calls(['read_file', { path: 'b.txt' }])
    const host = await scriptedHost([workIn('PLANNING'), cut, again, noCalls, ...justAnswer('Read.')], {
      files,
    })
    await host.say('Read it.')
    await host.rest()
    const made = (await host.items()).filter((item): item is CallItem => item.kind === 'call')
    expect(made.map(({ state }) => state)).toEqual(['refused', 'done'])
    expect(made[0]?.text).toContain('cut off')
  })
})

describe('a server that refuses a prompt for its length', () => {
  it('has the session compacted, is asked once more, and nothing is told as an error', async () => {
    const refused: Thought = { text: '', fault: 'context-exceeded' }
    const host = await scriptedHost(
      [...justAnswer('First.'), refused, { say: 'A summary.' }, ...justAnswer('Second.')],
      { files },
    )
    await host.say('Hello.')
    await host.rest()
    await host.say('And now?')
    await host.rest()
    const items = await host.items()
    expect(items.map(({ kind }) => kind)).toContain('compaction')
    expect(items.filter(({ kind }) => kind === 'error')).toEqual([])
    expect(items.at(-1)).toMatchObject({ kind: 'answer', text: 'Second.' })
    expect(host.bugs).toEqual([])
  })
})
