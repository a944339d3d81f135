import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openSession } from '../../../../../tests/fakes/window-host/open-window.ts'
import { fixtureGate, ItemMaker } from '../../../../../tests/fakes/window-host/session-fixtures.ts'
import type { GateCall, GateView } from '../../../../shared/domain/session/gate.ts'
import { diffKey, gateKey, placeKey } from './gates-slice.ts'

/** A window in which a session stands at the mock's gate. */
async function openGate() {
  const host = new FakeHost()
  const gate = fixtureGate()
  host.sessions.diffs = [{ path: 'src/date.ts', oldText: 'a\nb\nc\n', newText: 'A\nb\nC\n' }]
  host.sessions.add({}, [new ItemMaker().gate(1, gate)])
  const { store } = await openSession({ host, sessionId: 'session-1' })
  const gates = () => store.getState().gates
  return { host, store, gate, call: firstCall(gate), gates }
}

function firstCall({ calls }: GateView): GateCall {
  const [call] = calls
  if (call === undefined) throw new Error('a gate without calls')
  return call
}

const place = placeKey('call-edit', 'src/date.ts')
const diffsAsked = (host: FakeHost) => host.calls.filter((call) => call.method === 'gate.diff').length

describe('choices at a gate', () => {
  it('are kept while it asks the same, and made anew when it shows something else', async () => {
    const { gate, gates } = await openGate()
    gates().see(gate)
    gates().refuseHunks('gate-1', place, [2, 0])
    gates().setReason('gate-1', 'まだ')
    gates().see({ ...gate })
    expect(gates().choices['gate-1']).toMatchObject({ isChanged: false, refused: { [place]: [0, 2] } })

    const changed = { ...gate, calls: [{ ...firstCall(gate), hash: 'hash-2' }] }
    gates().see(changed)
    expect(gates().choices['gate-1']).toMatchObject({
      key: gateKey(changed),
      isChanged: true,
      refused: {},
      reason: 'まだ',
    })
  })

  it('are forgotten with what was loaded once it is settled', async () => {
    const { gate, call, gates } = await openGate()
    gates().see(gate)
    await gates().loadDiff(gate, call, 'src/date.ts')
    gates().leaveOut('gate-1', 'call-edit', true)
    expect(gates().choices['gate-1']?.leftOut).toEqual(['call-edit'])
    gates().settle('gate-1')
    expect(gates()).toMatchObject({ choices: {}, diffs: {} })
  })
})

describe('the diff of a gate', () => {
  it('is asked for once, with its places', async () => {
    const { host, gate, call, gates } = await openGate()
    await Promise.all([
      gates().loadDiff(gate, call, 'src/date.ts'),
      gates().loadDiff(gate, call, 'src/date.ts'),
    ])
    await gates().loadDiff(gate, call, 'src/date.ts')
    expect(diffsAsked(host)).toBe(1)
    const { diff } = gates().diffs[diffKey(gate, call, 'src/date.ts')] ?? {}
    expect(diff?.hunks.map((hunk) => hunk.newLines)).toEqual([['A\n'], ['C\n']])
  })

  it('is another one when the gate shows something else', async () => {
    const { host, gate, call, gates } = await openGate()
    await gates().loadDiff(gate, call, 'src/date.ts')
    await gates().loadDiff(gate, { ...call, hash: 'hash-2' }, 'src/date.ts')
    expect(diffsAsked(host)).toBe(2)
  })

  it('can be asked for again after a failure', async () => {
    const { host, gate, call, gates } = await openGate()
    const { diffs } = host.sessions
    host.sessions.diffs = []
    await gates().loadDiff(gate, call, 'src/date.ts')
    const key = diffKey(gate, call, 'src/date.ts')
    expect(gates().diffs[key]?.error).toEqual({ code: 'file/not-found', path: 'src/date.ts' })
    host.sessions.diffs = diffs
    await gates().loadDiff(gate, call, 'src/date.ts')
    expect(gates().diffs[key]).toMatchObject({ error: null, diff: { path: 'src/date.ts' } })
  })
})

describe('an answer', () => {
  const answer = { gateId: 'gate-1', verdict: 'approve', answers: [], reason: null, remember: null } as const

  it('that is not taken says why at the gate, and can be given again', async () => {
    const { gate, gates } = await openGate()
    gates().see(gate)
    expect(await gates().answer('gate-1', { ...answer, answers: [], sincePaintedMs: 10 })).toBe(false)
    expect(gates().choices['gate-1']).toMatchObject({ error: { code: 'gate/too-early' }, isSending: false })
    expect(await gates().answer('gate-1', { ...answer, answers: [], sincePaintedMs: 900 })).toBe(true)
  })

  it('is given once, however often it is pressed', async () => {
    const { host, gate, gates } = await openGate()
    gates().see(gate)
    const said = { ...answer, answers: [], sincePaintedMs: 900 }
    const heard = await Promise.all([gates().answer('gate-1', said), gates().answer('gate-1', said)])
    expect(heard).toEqual([true, false])
    expect(host.calls.filter((call) => call.method === 'gate.answer')).toHaveLength(1)
  })
})
