import { describe, expect, it } from 'vitest'
import type { FakeConnection } from '../../../tests/fakes/window-host/fake-connection.ts'
import { FakeHost } from '../../../tests/fakes/window-host/fake-host.ts'
import { fixturePreview, fixtureTake, readyModel } from '../../../tests/fakes/window-host/fixtures.ts'
import { openWindow as openAny, until } from '../../../tests/fakes/window-host/open-window.ts'
import type { AppStore } from './app-store.ts'
import { saveStateOf } from './reducers/document-reducer.ts'
import { activeRun } from './slices/work/runs-slice.ts'
import { createBrowserMemory, type WindowMemory } from './window-memory.ts'

let connection: FakeConnection

/** A window's store over a host in memory, after its first answers. */
async function openWindow(prepare: (host: FakeHost) => void = () => undefined, memory?: WindowMemory) {
  const host = new FakeHost()
  host.openPath = host.work.root
  prepare(host)
  const opened = await openAny({ host, isNamed: false, ...(memory ? { memory } : {}) })
  connection = opened.connection
  await settled()
  return opened
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))
const path = '003 逆回転.txt'
const offerOf = (store: AppStore) => store.getState().runs.offers[path]?.takeId

describe('opening', () => {
  it('shows no snapshots of the work before', async () => {
    const { store, host } = await openWindow()
    const entries = [{ id: 'old', path, at: 1, reason: 'open' as const, characters: 10, words: 2 }]
    store.setState(({ history }) => ({ history: { ...history, entries } }))
    host.work = { ...host.work, workId: 'new', root: '/new', name: 'new', files: [] }
    await store.getState().work.create('/', 'new')
    await settled()
    expect(store.getState().history.entries ?? []).toEqual([])
  })

  it('shows no prompt of the work before', async () => {
    const { store, host } = await openWindow()
    store.getState().ui.showTab('context')
    await store.getState().preview.refresh()
    expect(store.getState().preview.value).not.toBeNull()
    host.work = { ...host.work, workId: 'new', root: '/new', name: 'new', files: [] }
    await store.getState().work.create('/', 'new')
    await settled()
    expect(store.getState().preview.value).toBeNull()
  })

  it('opens the folder of the command line with the file that was open last', async () => {
    const { store } = await openWindow()
    expect(store.getState().work.current?.name).toBe('刻の迷宮')
    expect(store.getState().documents.activePath).toBe(path)
  })

  it('opens after a reload what this window had open', async () => {
    const memory = createBrowserMemory(null)
    await openWindow(() => undefined, memory)
    const { store } = await openWindow((host) => (host.openPath = null), memory)
    await until(() => store.getState().work.current !== null)
  })

  it('comes back after a reload to where the author went, not to what the start asked for', async () => {
    const memory = createBrowserMemory(null)
    const { host } = await openWindow(() => undefined, memory)
    memory.write('request', 'host /elsewhere')
    const { store } = await openWindow((other) => (other.openPath = '/elsewhere'), memory)
    expect(store.getState().work.current?.root).toBe(host.work.root)
  })

  it('opens in each window what the start asked for, though they remember together', async () => {
    const memory = createBrowserMemory(null)
    const host = new FakeHost()
    for (const tabMemory of [createBrowserMemory(null), createBrowserMemory(null)]) {
      const { store } = await openAny({ host, memory, tabMemory })
      expect(store.getState().work.current?.root).toBe(host.work.root)
      memory.write('work', '/gone')
    }
  })

  it('says why a folder did not open, where it was asked for', async () => {
    const { store } = await openWindow((host) => (host.openPath = null))
    expect(await store.getState().work.open('/nowhere')).toBe(false)
    expect(store.getState().work.error).toEqual({ code: 'file/not-found', path: '/nowhere' })
    expect(store.getState().work.isOpening).toBe(false)
  })
})

describe('a lost connection', () => {
  it('is shown, and everything is followed again when it is back', async () => {
    const { host, store } = await openWindow()
    connection.drop()
    expect(store.getState().connection.status).toBe('lost')
    await until(() => store.getState().connection.status === 'open')
    await until(() => host.calls.filter((call) => call.method === 'work.open').length === 2)
    await settled()
    host.setModel(readyModel)
    host.topics.work.publish({ type: 'details', details: host.work.details, name: '新しい名' })
    await until(() => store.getState().models.status.state === 'ready')
    await until(() => store.getState().work.current?.name === '新しい名')
  })

  it('loses nothing of a run that goes on meanwhile', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const runId = activeRun(store.getState().runs)?.run.runId ?? ''
    host.runs.write(runId, '雨が')
    await until(() => activeRun(store.getState().runs)?.run.text === '雨が')
    connection.drop()
    host.runs.write(runId, '降る。')
    host.runs.end(runId, 'finished')
    await until(() => store.getState().connection.status === 'open')
    const takeId = offerOf(store) ?? ''
    await until(() => store.getState().runs.byTake[takeId]?.run.state === 'finished')
    expect(store.getState().runs.byTake[takeId]?.run.text).toBe('雨が降る。')
  })
})

describe('drafting', () => {
  it('offers what a run writes at its file', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const view = activeRun(store.getState().runs)
    expect(offerOf(store)).toBe(view?.run.takeId)
    host.runs.write(view?.run.runId ?? '', '雨が降る。')
    await until(() => activeRun(store.getState().runs)?.run.text === '雨が降る。')
  })

  it('keeps an earlier take when it is written anew', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const first = activeRun(store.getState().runs)?.run
    host.runs.write(first?.runId ?? '', '雨。')
    host.runs.end(first?.runId ?? '', 'finished')
    await until(() => activeRun(store.getState().runs) === null)
    await store.getState().runs.retry()
    expect(offerOf(store)).not.toBe(first?.takeId)
    await until(() => host.runs.takes.get(first?.takeId ?? '')?.state === 'dismissed')
    await until(() => store.getState().takes.list.some((take) => take.text === '雨。'))
  })

  it('stops a run before it starts the next one, so that none is refused', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const first = activeRun(store.getState().runs)?.run
    host.runs.write(first?.runId ?? '', '雨。')
    await store.getState().runs.retry()
    expect(store.getState().runs.failure).toBeNull()
    expect(host.runs.list().map((run) => run.state)).toEqual(['stopped', 'running'])
  })

  it('steps back: first stops, then puts the offer aside, then has nothing to do', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const takeId = offerOf(store) ?? ''
    host.runs.write(activeRun(store.getState().runs)?.run.runId ?? '', '雨。')
    await until(() => activeRun(store.getState().runs)?.run.text === '雨。')
    expect(store.getState().runs.stepBack()).toBe(true)
    await until(() => store.getState().runs.byTake[takeId]?.run.state === 'stopped')
    expect(offerOf(store)).toBe(takeId)
    expect(store.getState().runs.stepBack()).toBe(true)
    expect(offerOf(store)).toBeUndefined()
    expect(store.getState().runs.stepBack()).toBe(false)
    await until(() => host.runs.takes.get(takeId)?.state === 'dismissed')
  })

  it('tells main how much was accepted, and ends the offer with the whole', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const takeId = offerOf(store) ?? ''
    const { decided } = store.getState().runs
    const event = { id: takeId, key: 'document-1', kind: 'accepted', wasRunning: false } as const
    await decided({ ...event, acceptedLength: 2, isWhole: false })
    expect(offerOf(store)).toBe(takeId)
    await decided({ ...event, acceptedLength: 5, isWhole: true })
    expect(offerOf(store)).toBeUndefined()
    expect(host.runs.takes.get(takeId)).toMatchObject({ state: 'inserted', acceptedLength: 5 })
  })

  it('shows again after a reload what was offered, from the take alone', async () => {
    const take = fixtureTake({ state: 'pending' })
    const { store } = await openWindow((host) => host.runs.putTake(take))
    await until(() => offerOf(store) === take.takeId)
  })

  it('does not bring back an offer that a later take has replaced', async () => {
    const { store } = await openWindow((host) => {
      host.runs.putTake(fixtureTake({ state: 'pending', createdAt: 1 }))
      host.runs.putTake(fixtureTake({ takeId: 'take-2', state: 'inserted', createdAt: 2 }))
    })
    await until(() => store.getState().takes.list.length === 2)
    expect(offerOf(store)).toBeUndefined()
  })

  it('shows a refused start beside the text and can go on with an estimate', async () => {
    const { host, store } = await openWindow((host) => (host.runs.refusal = { code: 'tokens/unreachable' }))
    await store.getState().runs.start()
    expect(store.getState().runs.failure?.error.code).toBe('tokens/unreachable')
    host.runs.refusal = null
    await store.getState().runs.start({ ...store.getState().runs.failure?.wish, isEstimateAccepted: true })
    expect(store.getState().runs.failure).toBeNull()
    expect(
      host.calls.find((call) => JSON.stringify(call.input).includes('"isEstimateAccepted":true')),
    ).toBeDefined()
  })

  it('offers nothing where a run failed before its first word, and says why', async () => {
    const { host, store } = await openWindow()
    await store.getState().runs.start()
    const run = activeRun(store.getState().runs)?.run
    host.runs.end(run?.runId ?? '', 'failed', { code: 'model/busy', address: 'http://127.0.0.1:5001' })
    await until(() => store.getState().runs.failure?.error.code === 'model/busy')
    expect(offerOf(store)).toBeUndefined()
  })

  it('warns of a shortened body once per work', async () => {
    const memory = createBrowserMemory(null)
    const { host, store } = await openWindow(
      (host) => (host.preview = { ...fixturePreview, isShortened: true }),
      memory,
    )
    await store.getState().preview.warnOnce()
    expect(store.getState().preview.shortened).toEqual({ keptChars: 4200, bodyChars: 13_189 })
    store.getState().preview.closeWarning()
    const asked = host.calls.length
    await store.getState().preview.warnOnce()
    expect(store.getState().preview.shortened).toBeNull()
    expect(host.calls.length).toBe(asked)
  })

  it('does not warn again where two runs ended at once', async () => {
    const memory = createBrowserMemory(null)
    const { store } = await openWindow(
      (host) => (host.preview = { ...fixturePreview, isShortened: true }),
      memory,
    )
    await store.getState().preview.refresh()
    const both = [store.getState().preview.warnOnce(), store.getState().preview.warnOnce()]
    await both[0]
    expect(store.getState().preview.shortened).not.toBeNull()
    store.getState().preview.closeWarning()
    await both[1]
    expect(store.getState().preview.shortened).toBeNull()
  })

  it('leaves the warning where it was in the same work, and takes it away in another', async () => {
    const { store } = await openWindow((host) => (host.preview = { ...fixturePreview, isShortened: true }))
    await store.getState().preview.warnOnce()
    store.getState().preview.followWork()
    expect(store.getState().preview.shortened).not.toBeNull()
    store.setState(({ work }) => ({
      work: { ...work, current: work.current && { ...work.current, root: '/other' } },
    }))
    store.getState().preview.followWork()
    expect(store.getState().preview.shortened).toBeNull()
  })
})

describe('files', () => {
  it('goes to a new file, keeps a renamed one open, and can undo a removal', async () => {
    const { host, store } = await openWindow()
    await store.getState().work.createFile('004.txt')
    expect(store.getState().documents.activePath).toBe('004.txt')
    const key = store.getState().documents.byPath['004.txt']?.key
    await store.getState().work.renameFile('004.txt', '004 雨.txt')
    expect(store.getState().documents.activePath).toBe('004 雨.txt')
    expect(store.getState().documents.byPath['004 雨.txt']?.key).toBe(key)
    await store.getState().work.removeFile('004 雨.txt')
    await until(() => store.getState().documents.activePath !== '004 雨.txt')
    const undo = store.getState().ui.toasts.at(-1)?.action
    undo?.run()
    await until(() => host.work.files.some((file) => file.path === '004 雨.txt'))
    await until(() => store.getState().documents.activePath === '004 雨.txt')
  })

  it('moves a manuscript and leaves the first one where it is', async () => {
    const { host, store } = await openWindow()
    await store.getState().work.move(path, -1)
    const order = host.work.files.map((file) => file.path).slice(0, 3)
    expect(order).toEqual(['001 鐘の音.txt', '003 逆回転.txt', '002 時計塔.txt'])
    const asked = host.calls.length
    await store.getState().work.move('001 鐘の音.txt', -1)
    expect(host.calls.length).toBe(asked)
  })
})

describe('documents', () => {
  it('fold what the editor passes on into what the header says', async () => {
    const { host, store } = await openWindow()
    const view = () => store.getState().documents.byPath[path]
    const { folded, synced } = store.getState().documents
    const key = view()?.key ?? ''
    const snapshot = host.documents.get(path)?.authority.snapshot()
    if (!snapshot) throw new Error('no snapshot')
    folded(key, { kind: 'snapshot', snapshot: { ...snapshot, path } })
    synced(key, 'synced')
    const state = () => {
      const shown = view()
      return shown && saveStateOf(shown)
    }
    expect(state()).toBe('saved')
    folded(key, { kind: 'changed', version: 1, changes: [] })
    expect(state()).toBe('saving')
    folded(key, { kind: 'save-failed', error: { code: 'file/disk-full', path } })
    expect(state()).toBe('failed')
    folded(key, { kind: 'saved', version: 1, at: 5 })
    expect(state()).toBe('saved')
    folded(key, { kind: 'conflict', conflict: { kind: 'changed' } })
    expect(state()).toBe('conflict')
  })

  it('are named in the notice of a merge as in the list of files', async () => {
    const { store } = await openWindow()
    const { byPath, folded } = store.getState().documents
    folded(byPath[path]?.key ?? '', { kind: 'merged' })
    expect(store.getState().ui.toasts.at(-1)?.message).toEqual({
      key: 'toast.merged',
      values: { name: '003 逆回転' },
    })
  })

  it('say that another program changed a text, and once put away not again before the author has written', async () => {
    const { store } = await openWindow()
    const view = () => store.getState().documents.byPath[path]
    const { folded, forgetChangedElsewhere } = store.getState().documents
    const key = view()?.key ?? ''
    const reload = (isForeign: boolean) => folded(key, { kind: 'reloaded', version: 1, isForeign })
    reload(false)
    expect(view()?.changedElsewhere).toBe('no')
    reload(true)
    reload(true)
    expect(view()?.changedElsewhere).toBe('told')
    forgetChangedElsewhere(path)
    reload(true)
    expect(view()?.changedElsewhere).toBe('read')
    folded(key, { kind: 'saved', version: 2, at: 5 })
    reload(true)
    expect(view()?.changedElsewhere).toBe('told')
  })
})
