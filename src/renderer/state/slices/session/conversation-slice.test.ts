import { describe, expect, it } from 'vitest'
import type { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { mockSessionId, openSession, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import { fixtureGate } from '../../../../../tests/fakes/window-host/session-fixtures.ts'
import { itemOf } from '../../reducers/session-reducer.ts'

const sessionId = mockSessionId
const text = (value: string) => [{ kind: 'text' as const, text: value }]

const asked = (host: FakeHost, method: string) =>
  host.calls.filter((call) => call.method === method).map((call) => call.input)

describe('the open session', () => {
  it('goes on over a lost connection without asking for what it has', async () => {
    const { connection, host, make, conversation } = await openSession()
    const { seq } = host.sessions.get(sessionId)
    connection.drop()
    await until(() => asked(host, 'session.watch').length === 2)
    expect(asked(host, 'session.watch')[1]).toEqual({ sessionId, afterSeq: seq })
    const item = make.user(2, 'その後')
    host.sessions.put(sessionId, item)
    await until(() => conversation().current?.items.at(-1)?.itemId === item.itemId)
  })

  it('grows by pieces', async () => {
    const { host, make, conversation } = await openSession()
    const item = make.answer(2, '', { state: 'writing' })
    host.sessions.put(sessionId, item)
    for (const piece of ['平', '年', 'です。']) host.sessions.grow(sessionId, item.itemId, 'text', piece)
    await until(() => {
      const { current } = conversation()
      const grown = current ? itemOf(current, item.itemId) : undefined
      return grown?.kind === 'answer' && grown.text === '平年です。'
    })
  })

  it('loads what came before, once at a time', async () => {
    const { host, make, conversation } = await openSession()
    host.sessions.add(
      { title: '長い' },
      Array.from({ length: 120 }, (_, i) => make.user(i + 1, String(i))),
    )
    conversation().open('session-4')
    await until(() => conversation().current?.status === 'ready')
    expect([conversation().current?.items.length, conversation().current?.hasMore]).toEqual([50, true])
    await Promise.all([conversation().loadMore(), conversation().loadMore()])
    expect(asked(host, 'session.items')).toHaveLength(1)
    await conversation().loadMore()
    await conversation().loadMore()
    expect([conversation().current?.items.length, conversation().current?.hasMore]).toEqual([120, false])
    expect(asked(host, 'session.items')).toHaveLength(2)
  })

  it('goes through the modes in their order', async () => {
    const { host, conversation } = await openSession()
    for (const mode of ['auto-edit', 'full', 'plan', 'ask'] as const) {
      await conversation().nextMode()
      await until(() => conversation().current?.state?.mode === mode)
    }
    expect(asked(host, 'session.setMode')).toHaveLength(4)
  })

  it('goes to its branch, unless the user has gone elsewhere by then', async () => {
    const { store, conversation } = await openSession()
    const branching = conversation().branch(1)
    conversation().open('session-1')
    await branching
    expect(conversation().current?.sessionId).toBe('session-1')
    expect(store.getState().ui.toasts).toEqual([])
    conversation().open(sessionId)
    await conversation().branch(1)
    expect(conversation().current?.sessionId).not.toBe(sessionId)
  })
})

describe('a gate on the screen', () => {
  const sentGate = (host: FakeHost) => (asked(host, 'session.send').at(-1) as { gate: unknown }).gate

  const changeGate = (host: FakeHost) => {
    const item = host.sessions.get(sessionId).items.find((one) => one.kind === 'gate')
    if (item?.kind !== 'gate') throw new Error('no gate')
    const calls = item.gate.calls.map((call) => ({ ...call, hash: 'hash-2' }))
    host.sessions.put(sessionId, { ...item, gate: { ...item.gate, calls } })
  }

  it('goes with a message: which, and how long it stood when the message was begun', async () => {
    const { host, conversation, composer } = await openSession()
    const before = performance.now()
    conversation().gatePainted('gate-1', 'hash-1')
    const after = performance.now()
    await composer().send(text('はい'), 'send', after + 800)
    const { gateId, sincePaintedMs } = sentGate(host) as { gateId: string; sincePaintedMs: number }
    expect(gateId).toBe('gate-1')
    expect(sincePaintedMs).toBeGreaterThanOrEqual(800)
    expect(sincePaintedMs).toBeLessThanOrEqual(800 + after - before)
  })

  it('counts from its first painting, until it shows something else', async () => {
    const { host, conversation } = await openSession()
    conversation().gatePainted('gate-1', 'hash-1')
    const since = (at: number) => conversation().sincePainted('gate-1', at) ?? 0
    const at = performance.now() + 1_000
    const first = since(at)
    conversation().gatePainted('gate-1', 'hash-1')
    expect(since(at)).toBe(first)
    changeGate(host)
    // The user has not seen what the gate asks now.
    await until(() => conversation().sincePainted('gate-1', at) === null)
    conversation().gatePainted('gate-1', 'hash-2')
    expect(since(at)).toBeLessThan(first)
  })

  it('that nobody saw is not named', async () => {
    const { host, composer } = await openSession()
    await composer().send(text('はい'), 'send', performance.now())
    expect(sentGate(host)).toBeNull()
  })

  it('tells why an answer was not taken', async () => {
    const { make, host, conversation } = await openSession()
    host.sessions.put(sessionId, make.gate(1, fixtureGate()))
    const answer = {
      gateId: 'gate-1',
      verdict: 'approve',
      answers: [],
      reason: null,
      remember: null,
    } as const
    expect(await conversation().answerGate({ ...answer, answers: [], sincePaintedMs: 10 })).toEqual({
      code: 'gate/too-early',
    })
    expect(await conversation().answerGate({ ...answer, answers: [], sincePaintedMs: 900 })).toBeNull()
  })
})

it('an item of the brief that could not be saved is reported, so that its editor keeps the text', async () => {
  const { connection, conversation, composer } = await openSession()
  const edit = { kind: 'write', item: 'goal', value: '暦を直す' } as const
  connection.drop()
  expect(await conversation().editCourse(edit)).toBe(false)
  expect(composer().failure).toEqual({ code: 'rpc/closed' })
  await until(() => connection.state() === 'open')
  expect(await conversation().editCourse(edit)).toBe(true)
})
