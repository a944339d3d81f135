import { describe, expect, it } from 'vitest'
import type { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import {
  mockHost,
  mockSessionId,
  openWindow as openAny,
  openSession,
  until,
} from '../../../../../tests/fakes/window-host/open-window.ts'
import { fixtureGate } from '../../../../../tests/fakes/window-host/session-fixtures.ts'
import { fixtureProject } from '../../../../../tests/fakes/window-host/session-play.ts'
import type { SessionHit } from '../../../../shared/domain/session/session.ts'
import { itemOf } from '../../reducers/session-reducer.ts'
import { createBrowserMemory } from '../../window-memory.ts'
import { draftKey } from './draft-key.ts'

const sessionId = mockSessionId
const text = (value: string) => [{ kind: 'text' as const, text: value }]

/** A window over the mock's folder. */
async function openWindow(memory = createBrowserMemory(null)) {
  const { host, make } = mockHost()
  const opened = await openAny({ host, memory })
  await until(() => opened.store.getState().sessions.isListLoaded)
  return { ...opened, make, sessions: () => opened.store.getState().sessions }
}

function hitOf(found: string): SessionHit {
  const place = { workId: 'work-1', root: fixtureProject.root, workName: fixtureProject.name }
  return { ...place, sessionId: found, title: '', itemId: 'item-1', turn: 1, at: 0, excerpt: '' }
}

const asked = (host: FakeHost, method: string) =>
  host.calls.filter((call) => call.method === method).map((call) => call.input)

describe('sessions of a folder', () => {
  it('are listed, the newest first, in a view of their own', async () => {
    const { store, sessions } = await openWindow()
    expect(sessions().list.map((one) => one.title)).toEqual([
      '日付の誤りを直す',
      'テストを増やす',
      'README の英訳',
    ])
    expect(store.getState().ui.view).toBe('session')
  })

  it('of another folder are opened with it, where something was found in them', async () => {
    const { host, make, store, sessions } = await openSession()
    const root = '/home/author/other'
    host.work = { ...fixtureProject, workId: 'work-2', root, name: 'other' }
    const other = host.sessions.add({ workId: 'work-2', title: '別の話' }, [make.user(1, '閏年')])
    const hit = { ...hitOf(other.listed.sessionId), workId: 'work-2', root, itemId: 'item-9' }
    expect(await sessions().openFound(hit)).toBe(true)
    expect(store.getState().work.current?.root).toBe(root)
    await until(() => sessions().current?.status === 'ready')
    expect(sessions().current?.sessionId).toBe(other.listed.sessionId)
    expect(sessions().target).toBe('item-9')
    expect(store.getState().ui.view).toBe('session')
  })

  it('stay as they are where the folder of what was found is gone', async () => {
    const { store, sessions } = await openSession()
    const hit = { ...hitOf('session-9'), workId: 'work-9', root: '/gone' }
    expect(await sessions().openFound(hit)).toBe(false)
    expect(store.getState().work.error).toMatchObject({ code: 'file/not-found' })
    expect(store.getState().work.current?.workId).toBe('work-1')
    expect(sessions().current?.sessionId).toBe(sessionId)
  })

  it('come back after a reload with the one that was open', async () => {
    const memory = createBrowserMemory(null)
    await openSession({ memory })
    const { sessions } = await openWindow(memory)
    await until(() => sessions().current?.status === 'ready')
    expect(sessions().current?.sessionId).toBe(sessionId)
  })

  it('begin with the newest where the window remembers none', async () => {
    const { sessions } = await openWindow()
    await until(() => sessions().current?.status === 'ready')
    expect(sessions().current?.sessionId).toBe(sessions().list[0]?.sessionId)
  })

  it('are shown again where a new host was asked for them before it had opened their folder', async () => {
    const { host, connection, store, sessions } = await openSession()
    host.sessions.watchRefusal = { code: 'work/not-open', workId: 'work-1' }
    connection.drop()
    await until(() => sessions().current?.status === 'failed')
    expect(sessions().current?.error).toMatchObject({ code: 'work/not-open' })
    host.sessions.watchRefusal = null
    await store.getState().work.reopen()
    await until(() => sessions().current?.status === 'ready')
    expect(sessions().current?.sessionId).toBe(sessionId)
  })

  it('stay in view after a reload, also once the folder has become mostly text', async () => {
    const memory = createBrowserMemory(null)
    const { store, host } = await openWindow(memory)
    const files = ['a.md', 'b.md', 'c.md'].map((path, order) => ({
      path,
      kind: 'manuscript' as const,
      order,
    }))
    host.setFiles(files)
    await store.getState().work.open(host.work.root)
    expect(store.getState().ui.view).toBe('session')
    store.getState().ui.showView('manuscript')
    await store.getState().work.open(host.work.root)
    expect(store.getState().ui.view).toBe('manuscript')
  })

  it('leave with their folder', async () => {
    const { store, sessions } = await openSession()
    store.getState().work.close()
    expect([sessions().list, sessions().current, store.getState().consent.trust]).toEqual([[], null, null])
  })

  it('are removed, and the open one is closed', async () => {
    const { sessions } = await openSession()
    await sessions().remove(sessionId)
    expect(sessions().current).toBeNull()
    await until(() => sessions().list.length === 2)
  })

  it('get what is written in the box while the first one is made, which is made once', async () => {
    const { host, store, sessions, asked } = await openSession()
    for (const { sessionId: one } of sessions().list) await sessions().remove(one)
    const held = Promise.withResolvers<void>()
    host.sessions.heldCreation = held.promise
    const made = [sessions().create(), sessions().create()]
    store.getState().drafts.keep(draftKey(sessions()), text('続けて書いたもの'))
    held.resolve()
    const [first, second] = await Promise.all(made)
    expect([second, sessions().current?.sessionId]).toEqual([first, first])
    expect(asked('session.create')).toHaveLength(1)
    expect(store.getState().drafts.byKey[draftKey(sessions())]).toEqual(text('続けて書いたもの'))
    sessions().close()
    expect(store.getState().drafts.byKey[draftKey(sessions())]).toEqual([])
  })

  it('are not opened where another folder was opened while they were made', async () => {
    const { host, store, sessions } = await openSession()
    await sessions().remove(sessionId)
    const held = Promise.withResolvers<void>()
    host.sessions.heldCreation = held.promise
    const made = sessions().create()
    store.getState().work.close()
    held.resolve()
    expect(await made).toBeNull()
    expect(sessions().current).toBeNull()
  })

  it('branch into a new one, which is opened', async () => {
    const { host, sessions } = await openSession()
    await sessions().branch(1)
    expect(asked(host, 'session.branch')).toEqual([{ sessionId, turn: 1 }])
    expect(sessions().current?.sessionId).toBe('session-4')
  })
})

describe('the open session', () => {
  it('goes on over a lost connection without asking for what it has', async () => {
    const { connection, host, make, sessions } = await openSession()
    const { seq } = host.sessions.get(sessionId)
    connection.drop()
    await until(() => asked(host, 'session.watch').length === 2)
    expect(asked(host, 'session.watch')[1]).toEqual({ sessionId, afterSeq: seq })
    const item = make.user(2, 'その後')
    host.sessions.put(sessionId, item)
    await until(() => sessions().current?.items.at(-1)?.itemId === item.itemId)
  })

  it('grows by pieces', async () => {
    const { host, make, sessions } = await openSession()
    const item = make.answer(2, '', { state: 'writing' })
    host.sessions.put(sessionId, item)
    for (const piece of ['平', '年', 'です。']) host.sessions.grow(sessionId, item.itemId, 'text', piece)
    await until(() => {
      const { current } = sessions()
      const grown = current ? itemOf(current, item.itemId) : undefined
      return grown?.kind === 'answer' && grown.text === '平年です。'
    })
  })

  it('loads what came before, once at a time', async () => {
    const { host, make, sessions } = await openWindow()
    host.sessions.add(
      { title: '長い' },
      Array.from({ length: 120 }, (_, i) => make.user(i + 1, String(i))),
    )
    sessions().open('session-4')
    await until(() => sessions().current?.status === 'ready')
    expect([sessions().current?.items.length, sessions().current?.hasMore]).toEqual([50, true])
    await Promise.all([sessions().loadMore(), sessions().loadMore()])
    expect(asked(host, 'session.items')).toHaveLength(1)
    await sessions().loadMore()
    await sessions().loadMore()
    expect([sessions().current?.items.length, sessions().current?.hasMore]).toEqual([120, false])
    expect(asked(host, 'session.items')).toHaveLength(2)
  })

  it('says beside the box why a request failed, and forgets it at the next', async () => {
    const { host, sessions } = await openSession()
    host.sessions.refusal = { code: 'gate/too-early' }
    expect(await sessions().send(text('はい'), 'send', performance.now())).toBeNull()
    expect(sessions().failure).toEqual({ code: 'gate/too-early' })
    expect(await sessions().send(text('はい'), 'send', performance.now())).toBe('message')
    expect(sessions().failure).toBeNull()
  })

  it('goes through the modes in their order', async () => {
    const { host, sessions } = await openSession()
    for (const mode of ['auto-edit', 'full', 'plan', 'ask'] as const) {
      await sessions().nextMode()
      await until(() => sessions().current?.state?.mode === mode)
    }
    expect(asked(host, 'session.setMode')).toHaveLength(4)
  })

  it('writes a message anew in the box', async () => {
    const { store, sessions } = await openSession()
    sessions().edit(1)
    expect(sessions().editing).toBe(1)
    const edited = draftKey(sessions())
    expect(store.getState().drafts.byKey[edited]?.map((one) => one.kind)).toEqual(['file-ref', 'text'])
    sessions().stopEditing()
    expect([sessions().editing, store.getState().drafts.byKey[edited]]).toEqual([null, []])
  })

  it('puts what was written anew into the box where another window took the message away', async () => {
    const { host, store, sessions } = await openSession()
    const { keep } = store.getState().drafts
    const box = draftKey(sessions())
    keep(box, text('後で'))
    sessions().edit(1)
    keep(draftKey(sessions()), text('書き直し'))
    host.sessions.cut(sessionId, 1)
    await until(() => sessions().editing === null)
    const whole = [...text('書き直し'), ...text('\n'), ...text('後で')]
    expect(store.getState().drafts.byKey[box]).toEqual(whole)
    sessions().stopEditing()
    expect(store.getState().drafts.byKey[box]).toEqual(whole)
  })

  it('brings nothing into the box of another session', async () => {
    const { sessions } = await openSession()
    sessions().fillBox(text('こちらへ'))
    sessions().open('session-1')
    expect(sessions().wanted).toBeNull()
  })

  it('goes to its branch, unless the user has gone elsewhere by then', async () => {
    const { store, sessions } = await openSession()
    const branching = sessions().branch(1)
    sessions().open('session-1')
    await branching
    expect(sessions().current?.sessionId).toBe('session-1')
    expect(store.getState().ui.toasts).toEqual([])
    sessions().open(sessionId)
    await sessions().branch(1)
    expect(sessions().current?.sessionId).not.toBe(sessionId)
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
    const { host, sessions } = await openSession()
    const before = performance.now()
    sessions().gatePainted('gate-1', 'hash-1')
    const after = performance.now()
    await sessions().send(text('はい'), 'send', after + 800)
    const { gateId, sincePaintedMs } = sentGate(host) as { gateId: string; sincePaintedMs: number }
    expect(gateId).toBe('gate-1')
    expect(sincePaintedMs).toBeGreaterThanOrEqual(800)
    expect(sincePaintedMs).toBeLessThanOrEqual(800 + after - before)
  })

  it('counts from its first painting, until it shows something else', async () => {
    const { host, sessions } = await openSession()
    sessions().gatePainted('gate-1', 'hash-1')
    const since = (at: number) => sessions().sincePainted('gate-1', at) ?? 0
    const at = performance.now() + 1_000
    const first = since(at)
    sessions().gatePainted('gate-1', 'hash-1')
    expect(since(at)).toBe(first)
    changeGate(host)
    // The user has not seen what the gate asks now.
    await until(() => sessions().sincePainted('gate-1', at) === null)
    sessions().gatePainted('gate-1', 'hash-2')
    expect(since(at)).toBeLessThan(first)
  })

  it('that nobody saw is not named', async () => {
    const { host, sessions } = await openSession()
    await sessions().send(text('はい'), 'send', performance.now())
    expect(sentGate(host)).toBeNull()
  })

  it('tells why an answer was not taken', async () => {
    const { make, host, sessions } = await openSession()
    host.sessions.put(sessionId, make.gate(1, fixtureGate()))
    const answer = {
      gateId: 'gate-1',
      verdict: 'approve',
      answers: [],
      reason: null,
      remember: null,
    } as const
    expect(await sessions().answerGate({ ...answer, answers: [], sincePaintedMs: 10 })).toEqual({
      code: 'gate/too-early',
    })
    expect(await sessions().answerGate({ ...answer, answers: [], sincePaintedMs: 900 })).toBeNull()
  })
})

it('an item of the brief that could not be saved is reported, so that its editor keeps the text', async () => {
  const { connection, sessions } = await openSession()
  const edit = { kind: 'write', item: 'goal', value: '暦を直す' } as const
  connection.drop()
  expect(await sessions().editCourse(edit)).toBe(false)
  expect(sessions().failure).toEqual({ code: 'rpc/closed' })
  await until(() => connection.state() === 'open')
  expect(await sessions().editCourse(edit)).toBe(true)
})
