import { describe, expect, it } from 'vitest'
import { mockSessionId, openSession, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import { unsentKey } from '../unsent-slice.ts'

const sessionId = mockSessionId
const text = (value: string) => [{ kind: 'text' as const, text: value }]

describe('the message box', () => {
  it('says beside the box why a request failed, and forgets it at the next', async () => {
    const { host, composer } = await openSession()
    host.sessions.refusal = { code: 'gate/too-early' }
    expect(await composer().send(text('はい'), 'send', performance.now())).toBeNull()
    expect(composer().failure).toEqual({ code: 'gate/too-early' })
    expect(await composer().send(text('はい'), 'send', performance.now())).toBe('message')
    expect(composer().failure).toBeNull()
  })

  it('writes a message anew in the box', async () => {
    const { store, composer } = await openSession()
    composer().edit(1)
    expect(composer().editing).toBe(1)
    const edited = unsentKey(store.getState())
    expect(store.getState().unsent.byKey[edited]?.map((one) => one.kind)).toEqual(['file-ref', 'text'])
    composer().stopEditing()
    expect([composer().editing, store.getState().unsent.byKey[edited]]).toEqual([null, []])
  })

  it('puts what was written anew into the box where another window took the message away', async () => {
    const { host, store, composer } = await openSession()
    const { keep } = store.getState().unsent
    const box = unsentKey(store.getState())
    keep(box, text('後で'))
    composer().edit(1)
    keep(unsentKey(store.getState()), text('書き直し'))
    host.sessions.cut(sessionId, 1)
    await until(() => composer().editing === null)
    const whole = [...text('書き直し'), ...text('\n'), ...text('後で')]
    expect(store.getState().unsent.byKey[box]).toEqual(whole)
    composer().stopEditing()
    expect(store.getState().unsent.byKey[box]).toEqual(whole)
  })

  it('brings nothing into the box of another session', async () => {
    const { conversation, composer } = await openSession()
    composer().fillBox(text('こちらへ'))
    conversation().open('session-1')
    expect(composer().wanted).toBeNull()
  })
})
