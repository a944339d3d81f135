import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { openSession as openAny } from '../../../../tests/fakes/window-host/open-window.ts'
import { runSlash } from '../../features/message-box/options/slash-commands.ts'

async function openSession() {
  const host = new FakeHost()
  host.sessions.add()
  const { store, asked } = await openAny({ host, sessionId: 'session-1' })
  const shown = () => store.getState().conversation.current?.state?.folders
  return { host, store, asked, shown, folders: () => store.getState().folders, ui: () => store.getState().ui }
}

const lib = { sessionId: 'session-1', path: '/lib' }

describe('adding a folder to a session', () => {
  it('is asked about first, then done with what was said of its trust', async () => {
    const { folders, ui, asked, shown } = await openSession()
    await folders().ask('/lib')
    expect(ui().dialog).toEqual({ kind: 'add-folder', sessionId: 'session-1' })
    expect(folders()).toMatchObject({ assessed: { path: '/lib', problem: null }, isBusy: false })
    expect(asked('session.addFolder')).toEqual([])
    expect(await folders().add(true)).toBe(true)
    expect(asked('session.addFolder')).toEqual([{ ...lib, isTrusted: true }])
    await expect.poll(shown).toEqual([{ path: '/lib', isTrusted: true }])

    await folders().setTrusted('/lib', false)
    await expect.poll(shown).toEqual([{ path: '/lib', isTrusted: false }])
    await folders().remove('/lib')
    await expect.poll(shown).toEqual([])
  })

  it('says why it was not done, and can be tried again', async () => {
    const { host, folders, shown } = await openSession()
    await folders().ask('/lib')
    host.sessions.folderProblem = 'inside'
    expect(await folders().add(null)).toBe(false)
    expect(folders()).toMatchObject({ isBusy: false, error: { code: 'folder/refused', problem: 'inside' } })
    host.sessions.folderProblem = null
    expect(await folders().add(null)).toBe(true)
    await expect.poll(shown).toHaveLength(1)
  })

  it('adds nothing that was not asked about', async () => {
    const { folders, asked, ui } = await openSession()
    expect(await folders().add(true)).toBe(false)
    await folders().ask('/lib')
    ui().close()
    expect(await folders().add(true)).toBe(false)
    expect(asked('session.addFolder')).toEqual([])
  })

  it('is asked for by a command of the box, or chosen where it names none', async () => {
    const { store, folders, ui } = await openSession()
    expect(await runSlash(store, { name: 'add-dir', path: '../lib' })).toBe(true)
    expect(folders().assessed?.path).toBe('../lib')
    ui().close()
    expect(await runSlash(store, { name: 'add-dir', path: null })).toBe(true)
    expect(ui().dialog).toEqual({ kind: 'picker', purpose: 'add-folder' })
  })

  it('begins a session where none is open', async () => {
    const { store, folders, asked, ui } = await openSession()
    store.getState().conversation.close()
    await folders().ask('/lib')
    expect(asked('session.create')).toHaveLength(1)
    expect(ui().dialog).toMatchObject({ kind: 'add-folder' })
  })
})
