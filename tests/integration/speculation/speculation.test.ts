import { describe, expect, it } from 'vitest'
import type { SpeculationLinkState } from '../../../src/shared/domain/session/speculation.ts'
import {
  approve,
  calls,
  isForSuggestion,
  longAnswer,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { editPort, openRoom, type SpeculationRoom } from '../../fakes/sessions/speculation-room.ts'
import { requestsOf } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }
const plan = editPort().slice(0, 4)
const look = calls(['read_file', { path: 'src/app.ts' }])

async function speculated({ host }: SpeculationRoom) {
  return (await requestsOf(host)).filter(({ purpose }) => purpose === 'speculation')
}

/** Approves the gate of an acceptance. */
function approveGate({ speculations }: SpeculationRoom, link: SpeculationLinkState): Promise<boolean> {
  if (link.accepting?.step !== 'gate') throw new Error('no gate')
  const { gateId, calls: shown } = link.accepting.gate
  const answers = shown.map(({ callId, hash }) => ({
    callId,
    shownHash: hash,
    isApproved: true,
    refusedHunks: [],
  }))
  const base = { gateId, sincePaintedMs: 1000, verdict: 'approve', reason: null, remember: null } as const
  return speculations.decide(link, { kind: 'gate', answer: { ...base, answers } })
}

/** Returns the tools' results as they were sent to the model. */
function resultsIn(body: unknown): string[] {
  const { messages = [] } = body as { messages?: { role: string; content: string }[] }
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
}

describe('a suggested message that is speculated', () => {
  it('comes to its end, and nothing of it is in the folder or the conversation before it is accepted', async () => {
    const grep = calls(['grep', { pattern: 'port', path: '.' }])
    const room = await openRoom([...editPort(grep), approve], { next: 'run the tests' })
    const { host, speculations, ghosts, llama } = room
    const before = await host.items()
    await ghosts.shown()
    const link = await speculations.becomes({ phase: 'completed', next: 'run the tests' })
    expect(link).toMatchObject({
      text: 'use port two',
      boundary: null,
      calls: 3,
      files: [{ path: 'src/app.ts', action: 'edit', addedLines: 1, removedLines: 1 }],
    })
    expect(host.read('src/app.ts')).toContain('port = 1')
    expect(await host.items()).toEqual(before)
    const asked = resultsIn(llama.requests.at(-1)?.body)
    expect(asked).toHaveLength(5)
    expect(asked[3]).toContain('src/app.ts')
    expect(asked[3]).toContain('port = 2')
    expect(asked[3]).not.toContain('port = 1')
    expect(JSON.stringify(asked)).not.toContain('overlays')

    const ends = (await speculated(room)).map(({ end }) => end)
    expect(new Set(ends)).toEqual(new Set(['finished']))
    expect(await speculations.events()).toMatchObject([
      {
        outcome: 'completed',
        isFinished: true,
        turnsUsed: ends.length,
        filesWritten: 1,
        toolUseCount: 3,
        hadPipelinedSuggestion: true,
      },
    ])

    expect(await speculations.accept(link, 'tab')).toBe(true)
    expect(await speculations.accept(link)).toBe(false)
    const context = { signal: new AbortController().signal }
    const { events } = await host.app.api['suggestion.list']({ limit: 1 }, context)
    expect(events).toMatchObject([{ outcome: 'accepted', method: 'tab', suggestionId: link.suggestionId }])
    const asking = await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
    expect(host.read('src/app.ts')).toContain('port = 1')
    expect(await approveGate(room, asking)).toBe(true)
    expect(await speculations.gone()).toBe('accepted')
    expect(host.read('src/app.ts')).toContain('port = 2')
    const kinds = (await host.items()).slice(before.length).map(({ kind }) => kind)
    expect(kinds[0]).toBe('user')
    expect(kinds).toContain('gate')
    expect(await ghosts.shown()).toMatchObject({ text: 'run the tests', source: 'model' })
    expect(await speculations.events()).toMatchObject([{ outcome: 'accepted', isFinished: true }])
  })

  it('accepted while the step after it is being suggested: that suggestion is shown, and none is asked for twice', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    let asked = 0
    const room = await openRoom([...editPort(), approve], {
      answer(request) {
        if (!isForSuggestion(request) || ++asked < 2) return undefined
        return held.then(() => ({ text: asked === 2 ? 'run the tests' : 'once more' }))
      },
    })
    const { speculations, ghosts } = room
    const link = await speculations.becomes({ phase: 'completed' })
    await expect.poll(() => asked).toBe(2)
    await speculations.accept(link)
    const gate = { accepting: { step: 'gate', gate: expect.anything() } }
    expect(await approveGate(room, await speculations.becomes(gate))).toBe(true)
    expect(await speculations.gone()).toBe('accepted')
    go()
    expect(await ghosts.shown()).toMatchObject({ text: 'run the tests' })
    expect(asked).toBe(2)
  })

  it('has the next step played on top of it, and both are taken one after the other', async () => {
    const room = await openRoom(
      [...editPort(), approve, { decide: {} }, { say: 'It listens on port two now.' }],
      {
        settings: { enableChainedSpeculation: true },
        next: 'which port is it?',
      },
    )
    const { host, speculations, ghosts, mind } = room
    await expect
      .poll(() => speculations.states.at(-1)?.links)
      .toMatchObject([{ phase: 'completed' }, { text: 'which port is it?', phase: 'completed' }])
    const first = await speculations.becomes({ phase: 'completed' })
    await speculations.accept(first)
    const gate = { accepting: { step: 'gate', gate: expect.anything() } }
    expect(await approveGate(room, await speculations.becomes(gate))).toBe(true)
    const second = await speculations.becomes({ text: 'which port is it?', phase: 'completed' })
    const ghost = await ghosts.becomes({ text: 'which port is it?' })
    await speculations.becomes({ suggestionId: ghost.suggestionId })
    expect(await speculations.accept(second)).toBe(true)
    expect(await speculations.gone()).toBe('accepted')
    expect(host.read('src/app.ts')).toContain('port = 2')
    expect((await host.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'It listens on port two now.' })
    expect(mind.left).toEqual([])
    expect((await speculations.events()).map(({ outcome, depth }) => [outcome, depth])).toEqual([
      ['accepted', 0],
      ['accepted', 1],
    ])
  })

  it('shares the conversation: a request reads its own words, and what follows a dropped run reads its own', async () => {
    const room = await openRoom([...editPort(), approve])
    const { host, speculations, mind } = room
    const link = await speculations.becomes({ phase: 'completed' })
    const [first] = await speculated(room)
    const before = (await requestsOf(host)).filter(({ purpose }) => purpose === 'reply').at(-1)
    expect(first?.reusedTokens ?? 0).toBeGreaterThanOrEqual(before?.promptTokens ?? 1)
    expect(await speculations.reject(link)).toBe(true)
    expect(await speculations.gone()).toBe('rejected')
    mind.think({ decide: {} }, { say: 'Yes.' })
    await host.say('thank you')
    await host.rest()
    const decision = (await requestsOf(host)).filter(({ purpose }) => purpose === 'decision').at(-1)
    // All that the conversation held before is still there: its prompt and its answer.
    expect(decision?.reusedTokens ?? 0).toBeGreaterThanOrEqual(before?.promptTokens ?? 0)
    expect(await speculations.events()).toMatchObject([{ outcome: 'rejected', isFinished: true }])
  })

  it('is gone as soon as somebody types, and the server sees the end of its request', async () => {
    const room = await openRoom([workIn('PLANNING'), { say: 'I look.' }, longAnswer])
    const { speculations, ghosts, llama } = room
    await speculations.becomes({ phase: 'running', turns: 2 })
    await expect.poll(() => llama.pendingCount).toBe(1)
    await ghosts.decide('ignored')
    expect(await speculations.gone()).toBe('ignored')
    await expect.poll(() => llama.pendingCount).toBe(0)
    await expect.poll(async () => (await speculated(room)).at(-1)?.end).toBe('stopped')
    expect(await speculations.events()).toMatchObject([
      { outcome: 'aborted', reason: 'ignored', isFinished: false },
    ])
  })
})

/** How runs end that are not complete. */
const ends: { name: string; thoughts: Thought[]; settings?: Record<string, boolean>; end: object }[] = [
  {
    name: 'an empty answer is none',
    thoughts: [{ decide: { next_step: 'continue' } }, { say: '' }],
    end: { phase: 'boundary', boundary: { kind: 'empty' } },
  },
  {
    name: 'calls before the one it stops at are kept, those behind it were never made',
    thoughts: [
      ...plan,
      {
        say: 'I look and test.',
        ...calls(
          ['read_file', { path: 'src/app.ts' }],
          ['run_command', { line: 'npm test', reason: 'see it' }],
          ['read_file', { path: 'README.md' }],
        ),
      } as Thought,
    ],
    end: { phase: 'boundary', calls: 2, boundary: { kind: 'shell', title: 'npm test' } },
  },
  {
    name: 'no write is speculated where the user wants to be asked about each',
    thoughts: [...plan, ...editPort().slice(4, 5)],
    settings: { stopAtFirstWrite: true },
    end: { phase: 'boundary', boundary: { kind: 'write' }, files: [] },
  },
  {
    name: 'a tool that is none of ours',
    thoughts: [workIn('PLANNING'), calls(['mcp__srv__tool', {}])],
    end: { phase: 'boundary', boundary: { kind: 'unknown' } },
  },
  {
    name: 'the model wants to hear from the user',
    thoughts: [{ decide: { next_step: 'pending_user' } }],
    end: { phase: 'boundary', boundary: { kind: 'pending_user' }, turns: 1 },
  },
  {
    name: 'a review that wants more',
    thoughts: [
      ...editPort(),
      calls([
        'submit_review',
        { rating: 'needs-work', problems: ['no'], improvements: ['more'], verdict: 'revise' },
      ]),
    ],
    end: { phase: 'boundary', boundary: { kind: 'review' } },
  },
  {
    name: 'what goes round and round ends with its turns',
    thoughts: [
      workIn('PLANNING'),
      ...Array.from({ length: 30 }, (_, index) => calls(['grep', { pattern: `port ${index}`, path: 'src' }])),
    ],
    end: { phase: 'boundary', boundary: { kind: 'budget' }, turns: 20 },
  },
]

describe('a run that is not complete', () => {
  it.each(ends)('$name', async ({ thoughts, settings = {}, end }) => {
    const { speculations, host } = await openRoom(thoughts, { settings })
    const before = await host.items()
    await speculations.becomes(end)
    expect(await host.items()).toEqual(before)
    expect(host.read('src/app.ts')).toContain('port = 1')
  })

  it('fails with its model, and leaves nothing', async () => {
    const { speculations, mind, host } = await openRoom([{ fault: 'error-after-generating' }])
    await expect.poll(async () => (await speculations.events())[0]?.outcome).toBe('failed')
    expect(await speculations.gone()).toMatch(/^model\//)
    expect(mind.left).toEqual([])
    expect((await host.items()).at(-1)).toMatchObject({ kind: 'answer', state: 'finished' })
  })
})

describe('where nothing is speculated', () => {
  it('it is off, the folder is not trusted, or the suggestion is a command', async () => {
    const { speculations, ghosts, host, mind } = await openRoom([], {
      settings: { enableSpeculation: false },
    })
    await ghosts.shown()
    expect(speculations.states.every(({ links }) => links.length === 0)).toBe(true)
    await host.app.api['settings.update']({ patch: { enableSpeculation: true } }, context)
    mind.suggest('/compact the session')
    mind.think({ decide: {} }, { say: 'Fine.' })
    await host.say('and now?')
    await host.rest()
    await ghosts.becomes({ text: '/compact the session' })
    await host.app.api['trust.set']({ workId: host.workId, isTrusted: false }, context)
    mind.suggest('look at the readme')
    mind.think({ decide: {} }, { say: 'Sure.' })
    await host.say('go on')
    await host.rest()
    await ghosts.becomes({ text: 'look at the readme' })
    expect(await speculations.events()).toEqual([])
  })

  it('a gate opens elsewhere: what runs is interrupted and keeps what it has', async () => {
    const room = await openRoom([workIn('PLANNING'), look, { say: 'I look.' }, longAnswer])
    const { speculations, host, mind } = room
    await speculations.becomes({ phase: 'running', turns: 3 })
    // The speculation has asked for its long answer, so that it cannot get one that is meant for the other session.
    await expect.poll(() => mind.left).toEqual([])
    const { sessionId: other } = (await host.app.api['session.create']({ workId: host.workId }, context))
      .session
    mind.think(workIn('PLANNING'), calls(['read_file', { path: '.env' }]))
    const segments = [{ kind: 'text' as const, text: 'read .env' }]
    await host.app.api['session.send']({ sessionId: other, segments, how: 'send', gate: null }, context)
    await speculations.becomes({
      phase: 'boundary',
      boundary: { kind: 'interrupted', callId: null, title: '' },
      calls: 1,
    })
  })
})
