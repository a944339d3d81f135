import { afterEach, describe, expect, it } from 'vitest'
import { connectToFakeHost, type FakeConnection } from '../../../tests/fakes/window-host/fake-connection.ts'
import { FakeHost } from '../../../tests/fakes/window-host/fake-host.ts'
import { ItemMaker } from '../../../tests/fakes/window-host/session-fixtures.ts'
import { fixtureProject, playMock } from '../../../tests/fakes/window-host/session-play.ts'
import { createAppStore } from './app-store.ts'
import { keepDrafts } from './kept-drafts.ts'
import { draftKey } from './sessions-slice.ts'
import { createBrowserMemory } from './window-memory.ts'

let connection: FakeConnection & { close?: () => void }
afterEach(() => connection.close?.())

const sessionId = 'session-3'
const text = (value: string) => [{ kind: 'text' as const, text: value }]

async function openSession() {
  const host = new FakeHost()
  const make = new ItemMaker()
  host.work = fixtureProject
  playMock(host, make)
  host.openPath = host.work.root
  connection = connectToFakeHost(host)
  const store = createAppStore(connection, createBrowserMemory(null))
  const sessions = () => store.getState().sessions
  await expect.poll(() => sessions().isListLoaded).toBe(true)
  sessions().open(sessionId)
  await expect.poll(() => sessions().current?.status).toBe('ready')
  const written = () => sessions().drafts[draftKey(sessions())]
  return { host, make, store, sessions, written }
}

describe('what stands in the box', () => {
  it('comes back when a message that was written anew is sent or left', async () => {
    const { sessions, written } = await openSession()
    sessions().keepDraft(sessionId, text('書きかけ'))
    sessions().edit(1)
    expect(written()).not.toEqual(text('書きかけ'))
    sessions().stopEditing()
    expect(sessions().editing).toBeNull()
    expect(written()).toEqual(text('書きかけ'))
  })

  it('is kept apart from the message that is written anew, through a look at another session', async () => {
    const { sessions, written } = await openSession()
    sessions().keepDraft(sessionId, text('書きかけ'))
    sessions().edit(1)
    sessions().keepDraft(draftKey(sessions()), text('直した頼み'))
    sessions().open('session-2')
    sessions().open(sessionId)
    await expect.poll(() => sessions().current?.status).toBe('ready')
    expect(written()).toEqual(text('書きかけ'))
    sessions().edit(1)
    expect(written()).toEqual(text('直した頼み'))
  })

  it('stands behind what is put back, and stays alone where nothing was', async () => {
    const { sessions, written } = await openSession()
    sessions().putBack(text('戻したもの'))
    expect(written()).toEqual(text('戻したもの'))
    sessions().keepDraft(sessionId, text('書きかけ'))
    sessions().putBack(text('戻したもの'))
    const joined = [...text('戻したもの'), ...text('\n'), ...text('書きかけ')]
    expect(written()).toEqual(joined)
    expect(sessions().wanted?.segments).toEqual(joined)
  })

  it('is of its own session, whichever is open when it is put back', async () => {
    const { sessions, written } = await openSession()
    sessions().putBack(text('ほかへの頼み'), 'session-2')
    expect(sessions().wanted).toBeNull()
    expect(written()).toBeUndefined()
    sessions().open('session-2')
    expect(written()).toEqual(text('ほかへの頼み'))
  })

  it('is wanted once: a box that is shown again shows what was written since', async () => {
    const { sessions } = await openSession()
    sessions().fillBox(text('一度だけ'))
    sessions().filledBox()
    expect(sessions().wanted).toBeNull()
  })
})

describe('a window that is loaded anew', () => {
  function storage(limit = Number.POSITIVE_INFINITY) {
    const kept = new Map<string, string>()
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem(key: string, value: string) {
        if (value.length > limit) throw new DOMException('full', 'QuotaExceededError')
        kept.set(key, value)
      },
    }
  }
  const page = () => new EventTarget() as EventTarget & Pick<Window, 'addEventListener'>

  it('has what was written and not sent', async () => {
    const kept = storage()
    const first = await openSession()
    const gone = page()
    keepDrafts(first.store, kept, gone)
    first.sessions().keepDraft(sessionId, text('書きかけ'))
    first.sessions().keepDraft('session-2', [])
    gone.dispatchEvent(new Event('pagehide'))
    const second = await openSession()
    keepDrafts(second.store, kept, page())
    expect(second.sessions().drafts).toEqual({ [sessionId]: text('書きかけ') })
  })

  it('begins empty where nothing was kept, too much was, or something else', async () => {
    const { store, sessions } = await openSession()
    const full = storage(100)
    const gone = page()
    keepDrafts(store, full, gone)
    sessions().keepDraft(sessionId, text('長'.repeat(200)))
    gone.dispatchEvent(new Event('pagehide'))
    expect(full.getItem('tsugi.drafts')).toBeNull()
    const other = await openSession()
    keepDrafts(other.store, { ...storage(), getItem: () => '{"a":[1]}' }, page())
    keepDrafts(other.store, null, page())
    expect(other.sessions().drafts).toEqual({})
  })
})

it('a storage that is full leaves the window with what it knows', () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  }
  const memory = createBrowserMemory(full as unknown as Storage)
  memory.write('side', 'closed')
  expect(memory.read('side')).toBe('closed')
})
