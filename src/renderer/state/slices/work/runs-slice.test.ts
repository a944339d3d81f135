import { describe, expect, it } from 'vitest'
import { fixtureTake } from '../../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { ManuscriptEditor } from '../../../editor/editor-types.ts'
import { activeRun } from './runs-slice.ts'

/** Starts wait until `release` is called. */
async function openHeldWindow() {
  const opened = await openWindow()
  const { host, store, asked } = opened
  const path = store.getState().documents.activePath ?? ''
  let release: () => void = () => undefined
  const hold = () => {
    host.runs.held = new Promise((resolve) => (release = resolve))
  }
  const states = () => host.runs.list().map(({ state }) => state)
  return {
    host,
    store,
    asked,
    path,
    hold,
    release: () => release(),
    states,
    runs: () => store.getState().runs,
  }
}

/** Writes a take to its end; returns its id. */
async function written(
  { host, runs }: Awaited<ReturnType<typeof openHeldWindow>>,
  wish: { endAt?: number } = {},
) {
  await runs().start(wish)
  const run = activeRun(runs())?.run
  host.runs.write(run?.runId ?? '', '雨。')
  host.runs.end(run?.runId ?? '', 'finished')
  await until(() => activeRun(runs()) === null)
  return run?.takeId ?? ''
}

describe('another take of what is offered', () => {
  it.each([
    ['where the offer was moved to since', 9, 5, 5],
    ['in the middle, also where the offer was found again', undefined, 5, 5],
    ['at the end', undefined, 6, undefined],
  ] as const)('is written %s', async (_name, asked, offerPlace, endAt) => {
    const opened = await openHeldWindow()
    await written(opened, asked === undefined ? {} : { endAt: asked })
    const text = '雨。風。雪。'
    const editor = { flush: async () => undefined, offerPlace: () => offerPlace, textOf: () => text }
    opened.store.editor.current = editor as unknown as ManuscriptEditor
    await opened.runs().retry()
    const [, again] = opened.asked('draft.start') as { endAt?: number }[]
    expect(again?.endAt).toBe(endAt)
  })
})

it('begins once the host has every detail, also the one that is still being typed', async () => {
  const { host, store, runs } = await openHeldWindow()
  const { work, detailTexts } = store.getState()
  void work.updateDetails(({ keywords }) => ({ keywords: [...keywords, '時計'] }))
  void work.updateDetails(({ genres }) => ({ genres: [...genres, 'SF'] }))
  detailTexts.write(host.work.root, 'plot', '館に着く')
  await runs().start()
  const methods = ['work.updateDetails', 'draft.start']
  const asked = host.calls.map(({ method }) => method).filter((method) => methods.includes(method))
  expect(asked).toEqual(['work.updateDetails', 'work.updateDetails', 'work.updateDetails', 'draft.start'])
})

describe('a draft without text', () => {
  it.each([
    ['scaffolding', 'toast.onlyHeadings'],
    ['met', 'toast.onlyFollowing'],
    ['stop', 'toast.nothingWritten'],
  ] as const)('that ended by %s says %s', async (stopReason, key) => {
    const { host, runs, store } = await openHeldWindow()
    const run = await runs().start()
    host.runs.end(run?.runId ?? '', 'finished', null, stopReason)
    await until(() => store.getState().ui.toasts.length > 0)
    expect(store.getState().ui.toasts).toMatchObject([{ message: { key } }])
  })
})

describe('a draft that begins while the drafts of the work are still being loaded', () => {
  it('is offered all the same', async () => {
    const { asked, host, path, runs, store } = await openHeldWindow()
    const before = asked('take.list').length
    const loaded = Promise.withResolvers<void>()
    host.runs.listHeld = loaded.promise
    const loading = runs().load(store.getState().work.current?.workId ?? '')
    await until(() => asked('take.list').length > before)
    const run = await runs().start()
    loaded.resolve()
    await loading
    expect(runs().offers[path]?.takeId).toBe(run?.takeId)
  })
})

describe('a place at which a take was accepted', () => {
  it('has no offer after the next start, though an earlier version left another take of it pending', async () => {
    const { host, path, runs, store } = await openHeldWindow()
    const place = { path, placeId: 'first', text: '雨。' }
    const createdAt = Date.now()
    const accepted = { state: 'inserted', acceptedLength: 2 } as const
    host.runs.putTake(fixtureTake({ ...place, ...accepted, takeId: 'first', createdAt }))
    const second = { ...place, takeId: 'second', text: '雪の朝。', state: 'pending' } as const
    host.runs.putTake(fixtureTake({ ...second, createdAt: createdAt + 1 }))
    await runs().load(store.getState().work.current?.workId ?? '')
    expect(runs().offers[path]).toBeUndefined()
  })

  it('has the offer of a take that goes on from what was accepted', async () => {
    const { host, path, runs, store } = await openHeldWindow()
    const place = { path, placeId: 'first', state: 'pending' } as const
    const createdAt = Date.now()
    host.runs.putTake(
      fixtureTake({ ...place, takeId: 'first', text: '雨。風。', acceptedLength: 2, createdAt }),
    )
    host.runs.putTake(fixtureTake({ ...place, takeId: 'second', text: '雨。雪。', createdAt: createdAt + 1 }))
    await runs().load(store.getState().work.current?.workId ?? '')
    expect(runs().offers[path]).toMatchObject({ takeId: 'second' })
  })
})

describe('an offer whose file is renamed', () => {
  it.each([
    ['after it was written', 'finished'],
    ['while it is being written', 'running'],
  ] as const)('stays at its place, %s', async (_name, state) => {
    const { host, path, runs, store } = await openHeldWindow()
    await runs().start()
    const run = activeRun(runs())?.run
    host.runs.write(run?.runId ?? '', '雨。')
    if (state === 'finished') host.runs.end(run?.runId ?? '', state)
    const takeId = run?.takeId ?? ''
    await until(() => runs().byTake[takeId]?.run.state === state && runs().byTake[takeId]?.run.text !== '')
    await until(() => store.getState().takes.list.some((take) => take.takeId === takeId))
    await store.getState().work.renameFile(path, '改題.txt')
    expect(store.getState().documents.activePath).toBe('改題.txt')
    expect(runs().offers[path]).toBeUndefined()
    expect(runs().offers['改題.txt']).toEqual({ takeId, wish: { path: '改題.txt' } })
    expect(runs().byTake[takeId]?.run.path).toBe('改題.txt')
    expect(store.getState().takes.list.find((take) => take.takeId === takeId)?.path).toBe('改題.txt')
  })
})

describe('a take that is accepted while it streams', () => {
  it('is said to be accepted whole: the host may have more of its text by now', async () => {
    const { asked, host, path, runs } = await openHeldWindow()
    await runs().start()
    const run = activeRun(runs())?.run
    host.runs.write(run?.runId ?? '', '雨。')
    const id = run?.takeId ?? ''
    const whole = { kind: 'accepted', id, key: path, acceptedLength: 2, wasRunning: true } as const
    await runs().decided({ ...whole, isWhole: true })
    expect(asked('take.update').at(-1)).toMatchObject({ takeId: id, acceptedLength: 2, isWhole: true })
  })
})

describe('a draft that begins when another work was opened meanwhile', () => {
  async function startedInOther() {
    const opened = await openHeldWindow()
    const { asked, hold, host, release, runs, store } = opened
    hold()
    const starting = runs().start()
    await until(() => asked('draft.start').length === 1)
    host.work = { ...host.work, workId: 'other' }
    await store.getState().work.open(host.work.root)
    return { ...opened, starting, finish: () => release() }
  }

  it('is not offered in the text of that work that has the same name', async () => {
    const { finish, path, runs, starting, states, store } = await startedInOther()
    finish()
    expect(await starting).toBeNull()
    expect(states()).toEqual(['running'])
    expect(store.getState().documents.activePath).toBe(path)
    expect(runs()).toMatchObject({ isStarting: false, offers: {}, byTake: {} })
  })

  it('says there why it failed, without an offer to try again', async () => {
    const { finish, host, runs, starting, store } = await startedInOther()
    host.runs.refusal = { code: 'tokens/unreachable' }
    finish()
    await starting
    expect(runs().failure).toBeNull()
    expect(store.getState().ui.toasts.at(-1)?.message).toMatchObject({
      error: { code: 'tokens/unreachable' },
    })
  })

  it('is stopped where that was wanted', async () => {
    const { finish, runs, starting, states } = await startedInOther()
    runs().stepBack()
    finish()
    await starting
    await until(() => states()[0] === 'stopped')
  })
})

describe('Esc while a run is being started', () => {
  it('stops the run as soon as it has begun', async () => {
    const { hold, release, runs, states, path } = await openHeldWindow()
    hold()
    const starting = runs().start()
    await until(() => runs().isStarting)
    expect(runs().stepBack()).toBe(true)
    release()
    await starting
    await until(() => activeRun(runs()) === null)
    expect(states()).toEqual(['stopped'])
    expect(runs().isStarting).toBe(false)
    await until(() => runs().offers[path] === undefined)
  })

  it('stops the new take and does not put the offer aside that stood there', async () => {
    const { host, hold, release, runs, states, path } = await openHeldWindow()
    await runs().start()
    const first = activeRun(runs())?.run
    host.runs.write(first?.runId ?? '', '雨。')
    host.runs.end(first?.runId ?? '', 'finished')
    await until(() => activeRun(runs()) === null)
    hold()
    const retrying = runs().retry()
    await until(() => runs().isStarting)
    expect(runs().stepBack()).toBe(true)
    expect(runs().offers[path]?.takeId).toBe(first?.takeId)
    release()
    await retrying
    expect(states()).toEqual(['finished', 'stopped'])
  })

  it('shows an offer at every moment while the next take begins: its place is that of the one before', async () => {
    const { host, store, runs, path } = await openHeldWindow()
    await runs().start()
    host.runs.write(activeRun(runs())?.run.runId ?? '', '雨。')
    host.runs.end(activeRun(runs())?.run.runId ?? '', 'finished')
    await until(() => activeRun(runs()) === null)
    let lost = 0
    store.subscribe(({ runs }) => {
      const takeId = runs.offers[path]?.takeId
      if (takeId === undefined || runs.byTake[takeId] === undefined) lost += 1
    })
    await runs().retry()
    expect(lost).toBe(0)
  })

  it('starts nothing where the run before is still being stopped', async () => {
    const { host, asked, runs, states } = await openHeldWindow()
    await runs().start()
    host.runs.write(activeRun(runs())?.run.runId ?? '', '雨。')
    const retrying = runs().retry()
    expect(runs().stepBack()).toBe(true)
    await retrying
    expect(states()).toEqual(['stopped'])
    expect(asked('draft.start')).toHaveLength(1)
  })

  it('lets the other takes of the place go as well: none of them comes back with the next page', async () => {
    const { host, runs, path } = await openHeldWindow()
    const write = async (begin: () => Promise<unknown>) => {
      await begin()
      const run = activeRun(runs())?.run
      host.runs.write(run?.runId ?? '', '雨。')
      host.runs.end(run?.runId ?? '', 'finished')
      await until(() => activeRun(runs()) === null)
      return run?.takeId ?? ''
    }
    const first = await write(() => runs().start())
    const { position } = host.runs.takes.get(first) ?? { position: 0 }
    const placeId = host.runs.takes.get(first)?.placeId ?? ''
    // Generation without end writes on while the first is shown.
    const run = host.runs.start(path, position, { placeId })
    host.runs.write(run.runId, '風。')
    host.runs.end(run.runId, 'finished')
    const state = (takeId: string) => host.runs.takes.get(takeId)?.state
    await until(() => runs().offers[path]?.takeId === first)
    await runs().decided({ kind: 'dismissed', id: first, key: path })
    expect(state(first)).toBe('dismissed')
    expect(state(run.takeId)).toBe('dismissed')
  })

  it('sends an accepted text before the model goes on without end behind it', async () => {
    const opened = await openHeldWindow()
    const takeId = await written(opened)
    const { asked, path, runs, store } = opened
    const flushed: unknown[] = []
    const flush = async (key: string) => void flushed.push([key, asked('take.update').length])
    store.editor.current = { flush } as unknown as ManuscriptEditor
    const endless = { runId: 'run-9', path, takes: 1, charsWritten: 0, end: null } as never
    store.setState({ runs: { ...runs(), endless } })
    const key = store.getState().documents.byPath[path]?.key ?? ''
    const whole = { acceptedLength: 2, isWhole: true, wasRunning: false }
    await runs().decided({ kind: 'accepted', id: takeId, key, ...whole })
    expect(flushed).toEqual([[key, 0]])
    expect(asked('take.update')).toHaveLength(1)
  })

  it('ends endless generation with its first block', async () => {
    const { asked, hold, release, runs, states } = await openHeldWindow()
    hold()
    const starting = runs().start({ isEndless: true })
    await until(() => runs().isStarting)
    runs().stepBack()
    release()
    await starting
    expect(asked('draft.stopEndless')).toHaveLength(1)
    expect(states()).toEqual(['stopped'])
  })
})
