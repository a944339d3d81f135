import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { fixtureWork } from '../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, startWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'
import { createBrowserMemory } from '../window-memory.ts'

/** A window whose work is opened only when `release` is called. */
function startHeld(host = new FakeHost()) {
  let release: () => void = () => undefined
  host.heldOpening = new Promise((resolve) => (release = resolve))
  const opened = startWindow({ host })
  return { ...opened, release: () => release(), state: () => opened.store.getState() }
}

describe('the start of a window', () => {
  it('is not over before the work that was asked for is open', async () => {
    const host = new FakeHost()
    host.openPath = fixtureWork.root
    const { asked, state, release } = startHeld(host)
    await until(() => asked('work.open').length === 1)
    expect(state().connection).toMatchObject({ host: { hostId: 'host' }, isStarted: false })
    release()
    await until(() => state().connection.isStarted)
    expect(state().work.current?.root).toBe(fixtureWork.root)
  })

  it('is over once it is known that there is nothing to open, or that it cannot be opened', async () => {
    const { store } = await openWindow({ isNamed: false, memory: createBrowserMemory(null) })
    await until(() => store.getState().connection.isStarted)
    expect(store.getState().work.current).toBeNull()

    const host = new FakeHost()
    host.openPath = '/nowhere'
    const { store: other } = startWindow({ host })
    await until(() => other.getState().connection.isStarted)
    expect(other.getState().work.error?.code).toBe('file/not-found')
  })

  it('names files that a killed host could not put into their folder, until the user closes the message', async () => {
    const host = new FakeHost()
    const { store } = await openWindow({ host })
    host.topics.host.publish({ type: 'files-left', root: '/works/other', paths: ['build/a.o'], count: 22 })
    const toasts = () => store.getState().ui.toasts
    await until(() => toasts().length > 0)
    const values = { count: 22, paths: 'other/build/a.o … (+21)' }
    expect(toasts()).toMatchObject([{ message: { key: 'toast.filesLeft', values }, isLasting: true }])
  })

  it('begins anew after a connection that was lost in it', async () => {
    const host = new FakeHost()
    host.openPath = fixtureWork.root
    const { asked, state, release, connection } = startHeld(host)
    await until(() => asked('work.open').length === 1)
    connection.drop()
    release()
    await until(() => state().connection.isStarted)
    expect(state().work.current?.root).toBe(fixtureWork.root)
  })

  it('goes on without a folder that does not answer, and shows what is opened in its place', async () => {
    const host = new FakeHost()
    host.openPath = fixtureWork.root
    const { asked, state, release } = startHeld(host)
    await until(() => asked('work.open').length === 1)
    state().connection.startWithout()
    expect(state().connection.isStarted).toBe(true)
    expect(state().work.isOpening).toBe(false)
    release()
    await until(() => state().connection.host !== null)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(state().work.current).toBeNull()
    expect(await state().work.open(fixtureWork.root)).toBe(true)
  })
})
