/** Interference with a running turn by the user, another program and a command. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CallItem } from '../../../src/shared/domain/session/session-item.ts'
import { eventually } from '../../fakes/eventually.ts'
import {
  approve,
  editCall,
  justAnswer,
  noCalls,
  readAndPlan,
  runCall,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const files = { 'a.txt': 'one\n' }
const resting = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' }
const edit = editCall('a.txt', 'one', 'two')
/** Time before an approval: a gate must have been shown for 700 ms, also one that is shown anew. Units: ms. */
const readTimeMs = 800

describe('a file under an open gate', () => {
  it('that changes: the gate is asked again with the new diff, and the old yes counts for nothing', async () => {
    const host = await atGate([edit, noCalls, approve])
    const before = await host.gate()
    writeFileSync(join(host.root, 'a.txt'), 'zero\none\n')
    const after = await eventually(async () => {
      const now = await host.gate()
      expect(now?.gate.calls[0]?.hash).not.toBe(before?.gate.calls[0]?.hash)
      return now
    })
    expect(after?.gate.gateId).toBe(before?.gate.gateId)
    const answers = before?.gate.calls.map(({ callId, hash }) => ({
      callId,
      shownHash: hash,
      isApproved: true,
      refusedHunks: [],
    }))
    await new Promise((resolve) => setTimeout(resolve, readTimeMs))
    await host.answer('approve', { answers: answers ?? [] })
    expect(host.read('a.txt')).toBe('zero\none\n')
    await new Promise((resolve) => setTimeout(resolve, readTimeMs))
    expect((await host.approveAll()).position).toEqual(resting)
    expect(host.read('a.txt')).toBe('zero\ntwo\n')
    expect(host.bugs).toEqual([])
  })

  it('that is deleted: the gate is gone, the model is told and goes on', async () => {
    const host = await atGate([edit, noCalls, approve])
    rmSync(join(host.root, 'a.txt'))
    await eventually(async () => expect((await host.state()).openGates).toEqual([]))
    expect((await host.rest()).position).toEqual(resting)
    expect((await callsOf(host, 'edit'))[0]).toMatchObject({ state: 'refused', outcome: 'void' })
    expect(() => host.read('a.txt')).toThrow('ENOENT')
    expect(host.bugs).toEqual([])
  })
})

describe('a running command', () => {
  it('that ignores SIGTERM is ended by a stop, and the next message works', async () => {
    const host = await atGate([
      runCall("trap '' TERM INT; echo pid $$; while :; do sleep 0.1; done"),
      ...justAnswer('It ran.'),
    ])
    await host.answer('approve')
    const pid = await eventually(async () => {
      const found = /pid (\d+)/.exec((await callsOf(host, 'run_command'))[0]?.text ?? '')
      expect(found).not.toBeNull()
      return Number(found?.[1])
    })
    await host.stop()
    const state = await host.rest()
    expect(state.position).toMatchObject({ status: 'REQUIRES_USER_INPUT', waiting: 'none' })
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
    await host.say('What happened?')
    await host.rest()
    expect((await host.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'It ran.' })
    expect(host.bugs).toEqual([])
  })

  it('runs to its end under a message that steers, once, and the message is answered', async () => {
    const host = await atGate([
      runCall('echo begun; sleep 2; echo ended; echo x >> ran.txt'),
      ...justAnswer('Steered.'),
    ])
    await host.answer('approve')
    await eventually(async () => expect((await callsOf(host, 'run_command'))[0]?.text).toContain('begun'))
    expect(await host.say('Leave that.', 'steer')).toBe('message')
    const state = await host.rest()
    expect(state.openGates).toEqual([])
    const [call] = await callsOf(host, 'run_command')
    expect(call?.text).toContain('ended')
    expect(host.read('ran.txt')).toBe('x\n')
    expect((await host.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'Steered.' })
    expect(host.bugs).toEqual([])
  })
})

describe('a stop', () => {
  const moments: [phase: string, before: Thought[]][] = [
    ['while it decides', []],
    ['while it replies', [{ decide: {} }]],
    ['while it plans', [workIn('PLANNING')]],
    ['while it calls tools', [...readAndPlan('a.txt')]],
    ['while it reviews', [...readAndPlan('a.txt'), noCalls]],
  ]
  for (const [phase, before] of moments) {
    it(`${phase}: ends the turn at once, changes nothing, and the next message works`, async () => {
      const host = await scriptedHost([...before, ...justAnswer('Here.')], { files })
      const { answer } = host.mind
      let isHeld = false
      const { promise: release, resolve: letGo } = Promise.withResolvers<Record<string, never>>()
      host.llama.options.answer = (request) => {
        if (isHeld || host.mind.left.length > 2) return answer(request)
        isHeld = true
        return release
      }
      await host.say('Do it.')
      await eventually(() => expect(isHeld).toBe(true))
      await host.stop()
      expect((await host.rest()).position).toMatchObject({ status: 'REQUIRES_USER_INPUT', waiting: 'none' })
      letGo({})
      host.llama.options.answer = answer
      await host.say('And now?')
      await host.rest()
      expect((await host.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'Here.' })
      expect(host.read('a.txt')).toBe('one\n')
      expect(host.bugs).toEqual([])
    })
  }

  it('at a gate: withdraws it, which is no consent', async () => {
    const host = await atGate([edit, ...justAnswer('Stopped.')])
    await host.stop()
    const state = await host.rest()
    expect([state.openGates, state.position.status]).toEqual([[], 'REQUIRES_USER_INPUT'])
    expect((await host.items()).find(({ kind }) => kind === 'gate')).toMatchObject({ state: 'withdrawn' })
    await host.say('Well?')
    await host.rest()
    expect(host.read('a.txt')).toBe('one\n')
    expect(host.bugs).toEqual([])
  })
})

describe('a server that is cut in the middle of a tool call', () => {
  it('runs nothing of the half call, and the whole one once', async () => {
    const cut = { toolCalls: [{ name: 'edit', arguments: editArgs }], fault: 'cut-in-tool-call' as const }
    const host = await atGate([cut, workIn('PLANNING'), ...planAgain, edit, noCalls, approve])
    expect(await callsOf(host, 'edit')).toHaveLength(1)
    expect((await host.items()).filter(({ kind }) => kind === 'error')).toMatchObject([
      { error: { code: 'model/cut' }, isRetried: true },
    ])
    expect(host.read('a.txt')).toBe('one\n')
    expect((await host.approveAll()).position).toEqual(resting)
    expect(host.read('a.txt')).toBe('two\n')
  })
})

const editArgs = { path: 'a.txt', old_text: 'one', new_text: 'half', reason: 'cut' }
const planAgain: Thought[] = [...readAndPlan('a.txt').slice(2)]

/** A session in EXECUTION that waits for consent. */
async function atGate(thoughts: Thought[]): Promise<SessionHost> {
  const host = await scriptedHost([...readAndPlan('a.txt'), ...thoughts], { files })
  await host.say('Do it.')
  await host.rest()
  expect(await host.gate()).toMatchObject({ state: 'open' })
  return host
}

async function callsOf(host: SessionHost, name: string): Promise<CallItem[]> {
  return (await host.items()).filter((item): item is CallItem => item.kind === 'call' && item.name === name)
}
