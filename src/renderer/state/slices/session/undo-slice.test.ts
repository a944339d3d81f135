import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { mockSessionId, openSession as openAny } from '../../../../../tests/fakes/window-host/open-window.ts'
import { openUndoPlaces } from './undo-slice.ts'

async function openSession() {
  const host = new FakeHost()
  host.sessions.add()
  const { store, asked } = await openAny({ host, sessionId: 'session-1' })
  return { host, store, undo: () => store.getState().undo, asked }
}

describe('undoing a turn', () => {
  it('looks first and then does what was chosen', async () => {
    const { undo, asked, store } = await openSession()
    await undo().loadPreview(3)
    expect(undo()).toMatchObject({ preview: { turn: 3 }, isBusy: false, error: null })
    expect(await undo().undo(3, 'files')).toBe(true)
    expect(asked('session.undo')).toEqual([{ sessionId: 'session-1', turn: 3, what: 'files', choices: [] }])
    expect(store.getState().ui.toasts.at(-1)).toMatchObject({
      message: { key: 'undo.done' },
      action: { key: 'action.redo' },
    })
  })

  it('sends what was decided, for the content that was shown', async () => {
    const { host, undo, asked } = await openSession()
    const place = { line: 1, former: '1', written: 'X', current: 'X!' }
    host.sessions.preview = {
      ...host.sessions.preview,
      files: [
        {
          path: 'a',
          to: 'a',
          isOccupied: false,
          keepsEdits: true,
          hash: 'h',
          places: [
            { ...place, index: 0 },
            { ...place, index: 4 },
          ],
          isWhole: false,
          isRemoved: false,
          mode: null,
          problem: null,
        },
      ],
    }
    await undo().loadPreview(3)
    const open = () => openUndoPlaces(undo().preview ?? host.sessions.preview, undo().sides)
    expect(open()).toBe(2)
    undo().chooseAll('former')
    undo().choose('a', 4, 'both')
    expect(open()).toBe(0)
    await undo().undo(3, 'files')
    const places = [
      { index: 0, side: 'former' },
      { index: 4, side: 'both' },
    ]
    expect(asked('session.undo')).toMatchObject([{ choices: [{ path: 'a', hash: 'h', places }] }])
  })

  it('takes an undo back from its notice', async () => {
    const { undo, asked, store } = await openSession()
    await undo().undo(3, 'files')
    store.getState().ui.toasts.at(-1)?.action?.run()
    expect(store.getState().ui.dialog).toEqual({ kind: 'undo-turn', turn: null })
    await undo().loadPreview(null)
    expect(await undo().redo()).toBe(true)
    expect(asked('session.redo')).toEqual([{ sessionId: 'session-1', choices: [] }])
    expect(store.getState().ui.toasts.at(-1)?.message).toEqual({ key: 'redo.done' })
  })

  it('is taken back in its own session, although another one is in view', async () => {
    const { host, undo, store } = await openSession()
    const other = host.sessions.add().listed.sessionId
    await undo().undo(3, 'files')
    store.getState().conversation.open(other)
    store.getState().ui.toasts.at(-1)?.action?.run()
    expect(store.getState().conversation.current?.sessionId).toBe('session-1')
    expect(store.getState().ui.dialog).toEqual({ kind: 'undo-turn', turn: null })
  })

  it('gives the message back to its own session, although another one was chosen meanwhile', async () => {
    const { store } = await openAny()
    const undoing = store.getState().undo.undo(1, 'conversation')
    store.getState().conversation.open('session-1')
    expect(await undoing).toBe(true)
    const { byKey } = store.getState().unsent
    expect(Object.keys(byKey).filter((key) => byKey[key]?.length)).toEqual([mockSessionId])
  })

  it('shows nothing that was asked for before the dialog closed', async () => {
    const { undo } = await openSession()
    const loading = undo().loadPreview(3)
    undo().clear()
    await loading
    expect(undo().preview).toBeNull()
  })

  it('says why it failed', async () => {
    const { host, undo } = await openSession()
    host.sessions.byId.clear()
    expect(await undo().undo(3, 'both')).toBe(false)
    expect(undo()).toMatchObject({ isBusy: false, error: { code: 'session/not-found' } })
  })
})

describe('applying a text', () => {
  it('writes over what was compared, and takes it back by the same id', async () => {
    const { undo, asked, store } = await openSession()
    await undo().compare('002 時計塔.txt')
    expect(undo().compared).toMatchObject({ text: '　塔の中は暗かった。\n', hash: 'hash' })
    expect(await undo().apply('雨。\n')).toBe(true)
    expect(asked('session.applyText')).toEqual([
      { workId: 'work-1', path: '002 時計塔.txt', hash: 'hash', text: '雨。\n' },
    ])
    store.getState().ui.toasts.at(-1)?.action?.run()
    await expect.poll(() => asked('work.restoreFile')).toEqual([{ workId: 'work-1', undoId: 'undo-1' }])
  })

  it('writes nothing that was not compared', async () => {
    const { undo, asked } = await openSession()
    expect(await undo().apply('雨。\n')).toBe(false)
    expect(asked('session.applyText')).toEqual([])
  })

  it('the comparison asked for last is shown, whichever answers last', async () => {
    const { undo } = await openSession()
    await Promise.all([undo().compare('002 時計塔.txt'), undo().compare('001 鐘の音.txt')])
    expect(undo().compared?.path).toBe('001 鐘の音.txt')
  })
})
