import { describe, expect, it } from 'vitest'
import type { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import {
  mockHost,
  mockSessionId,
  openWindow as openAny,
  openSession,
  until,
} from '../../../../../tests/fakes/window-host/open-window.ts'
import { fixtureProject } from '../../../../../tests/fakes/window-host/session-play.ts'
import type { SessionHit } from '../../../../shared/domain/session/session.ts'
import { createBrowserMemory } from '../../window-memory.ts'
import { unsentKey } from '../unsent-slice.ts'

const sessionId = mockSessionId
const text = (value: string) => [{ kind: 'text' as const, text: value }]

/** A window over the mock's folder. */
async function openWindow(memory = createBrowserMemory(null)) {
  const { host, make } = mockHost()
  const opened = await openAny({ host, memory })
  await until(() => opened.store.getState().sessions.isListLoaded)
  const sessions = () => opened.store.getState().sessions
  const conversation = () => opened.store.getState().conversation
  return { ...opened, make, sessions, conversation }
}

function hitOf(found: string): SessionHit {
  const place = { workId: 'work-1', root: fixtureProject.root, workName: fixtureProject.name }
  return { ...place, sessionId: found, title: '', itemId: 'item-1', turn: 1, at: 0, excerpt: '' }
}

const asked = (host: FakeHost, method: string) =>
  host.calls.filter((call) => call.method === method).map((call) => call.input)

describe('sessions of a folder', () => {
  it('are changed by methods of which the window keeps no answer; a refusal is told', async () => {
    const { host, store, sessions } = await openWindow()
    const titleNow = () => sessions().list.find((one) => one.sessionId === sessionId)?.title
    await sessions().call('session.rename', { sessionId, title: '新しい題' })
    await until(() => titleNow() === '新しい題')
    host.sessions.refusal = { code: 'session/not-found', sessionId }
    expect(await sessions().call('session.remove', { sessionId })).toBeNull()
    expect(store.getState().ui.toasts).toHaveLength(1)
  })

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
    const { host, make, store, sessions, conversation } = await openSession()
    const root = '/home/author/other'
    host.work = { ...fixtureProject, workId: 'work-2', root, name: 'other' }
    const other = host.sessions.add({ workId: 'work-2', title: '別の話' }, [make.user(1, '閏年')])
    const hit = { ...hitOf(other.listed.sessionId), workId: 'work-2', root, itemId: 'item-9' }
    expect(await sessions().openFound(hit)).toBe(true)
    expect(store.getState().work.current?.root).toBe(root)
    await until(() => conversation().current?.status === 'ready')
    expect(conversation().current?.sessionId).toBe(other.listed.sessionId)
    expect(conversation().target).toBe('item-9')
    expect(store.getState().ui.view).toBe('session')
  })

  it('stay as they are where the folder of what was found is gone', async () => {
    const { store, sessions, conversation } = await openSession()
    const hit = { ...hitOf('session-9'), workId: 'work-9', root: '/gone' }
    expect(await sessions().openFound(hit)).toBe(false)
    expect(store.getState().work.error).toMatchObject({ code: 'file/not-found' })
    expect(store.getState().work.current?.workId).toBe('work-1')
    expect(conversation().current?.sessionId).toBe(sessionId)
  })

  it('come back after a reload with the one that was open', async () => {
    const memory = createBrowserMemory(null)
    await openSession({ memory })
    const { conversation } = await openWindow(memory)
    await until(() => conversation().current?.status === 'ready')
    expect(conversation().current?.sessionId).toBe(sessionId)
  })

  it('begin with the newest where the window remembers none', async () => {
    const { sessions, conversation } = await openWindow()
    await until(() => conversation().current?.status === 'ready')
    expect(conversation().current?.sessionId).toBe(sessions().list[0]?.sessionId)
  })

  it('are shown again where a new host was asked for them before it had opened their folder', async () => {
    const { host, connection, store, conversation } = await openSession()
    host.sessions.watchRefusal = { code: 'work/not-open', workId: 'work-1' }
    connection.drop()
    await until(() => conversation().current?.status === 'failed')
    expect(conversation().current?.error).toMatchObject({ code: 'work/not-open' })
    host.sessions.watchRefusal = null
    await store.getState().work.reopen()
    await until(() => conversation().current?.status === 'ready')
    expect(conversation().current?.sessionId).toBe(sessionId)
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
    const { store, sessions, conversation } = await openSession()
    store.getState().work.close()
    expect([sessions().list, conversation().current, store.getState().consent.trust]).toEqual([
      [],
      null,
      null,
    ])
  })

  it('are removed, and the open one is closed', async () => {
    const { sessions, conversation } = await openSession()
    await sessions().remove(sessionId)
    expect(conversation().current).toBeNull()
    await until(() => sessions().list.length === 2)
  })

  it('get what is written in the box while the first one is made, which is made once', async () => {
    const { host, store, asked, sessions, conversation } = await openSession()
    for (const { sessionId: one } of sessions().list) await sessions().remove(one)
    const held = Promise.withResolvers<void>()
    host.sessions.heldCreation = held.promise
    const made = [sessions().create(), sessions().create()]
    store.getState().unsent.keep(unsentKey(store.getState()), text('続けて書いたもの'))
    held.resolve()
    const [first, second] = await Promise.all(made)
    expect([second, conversation().current?.sessionId]).toEqual([first, first])
    expect(asked('session.create')).toHaveLength(1)
    expect(store.getState().unsent.byKey[unsentKey(store.getState())]).toEqual(text('続けて書いたもの'))
    conversation().close()
    expect(store.getState().unsent.byKey[unsentKey(store.getState())]).toEqual([])
  })

  it('are not opened where another folder was opened while they were made', async () => {
    const { host, store, sessions, conversation } = await openSession()
    await sessions().remove(sessionId)
    const held = Promise.withResolvers<void>()
    host.sessions.heldCreation = held.promise
    const made = sessions().create()
    store.getState().work.close()
    held.resolve()
    expect(await made).toBeNull()
    expect(conversation().current).toBeNull()
  })

  it('branch into a new one, which is opened', async () => {
    const { host, conversation } = await openSession()
    await conversation().branch(1)
    expect(asked(host, 'session.branch')).toEqual([{ sessionId, turn: 1 }])
    expect(conversation().current?.sessionId).toBe('session-4')
  })
})
