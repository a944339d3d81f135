import { describe, expect, it } from 'vitest'
import {
  openSession as openWindow,
  type WindowOptions,
} from '../../../tests/fakes/window-host/open-window.ts'
import { answerKey, unsentKey } from './slices/unsent-slice.ts'

const sessionId = 'session-3'
const text = (value: string) => [{ kind: 'text' as const, text: value }]

async function openSession(options?: WindowOptions) {
  const opened = await openWindow(options)
  const unsent = () => opened.store.getState().unsent
  const written = () => unsent().byKey[unsentKey(opened.store.getState())]
  return { ...opened, unsent, written }
}

describe('what stands in the box', () => {
  it('comes back when a message that was written anew is sent or left', async () => {
    const { written, composer, unsent } = await openSession()
    unsent().keep(sessionId, text('書きかけ'))
    composer().edit(1)
    expect(written()).not.toEqual(text('書きかけ'))
    composer().stopEditing()
    expect(composer().editing).toBeNull()
    expect(written()).toEqual(text('書きかけ'))
  })

  it('is kept apart from the message that is written anew, through a look at another session', async () => {
    const { written, conversation, composer, unsent, store } = await openSession()
    unsent().keep(sessionId, text('書きかけ'))
    composer().edit(1)
    unsent().keep(unsentKey(store.getState()), text('直した頼み'))
    conversation().open('session-2')
    conversation().open(sessionId)
    await expect.poll(() => conversation().current?.status).toBe('ready')
    expect(written()).toEqual(text('書きかけ'))
    composer().edit(1)
    expect(written()).toEqual(text('直した頼み'))
  })

  it('stands behind what is put back, and stays alone where nothing was', async () => {
    const { written, composer, unsent } = await openSession()
    composer().putBack(text('戻したもの'))
    expect(written()).toEqual(text('戻したもの'))
    unsent().keep(sessionId, text('書きかけ'))
    composer().putBack(text('戻したもの'))
    const joined = [...text('戻したもの'), ...text('\n'), ...text('書きかけ')]
    expect(written()).toEqual(joined)
    expect(composer().wanted?.segments).toEqual(joined)
  })

  it('gets the answer that was being written to a question that closed, unless it was answered', async () => {
    const { written, composer, unsent, store } = await openSession()
    const key = answerKey(store.getState(), 'call-1')
    unsent().keep(sessionId, text('書きかけ'))
    unsent().keep(key, text('長い答え'))
    composer().leaveAnswer('call-1', false)
    expect(written()).toEqual([...text('長い答え'), ...text('\n'), ...text('書きかけ')])
    expect(unsent().byKey[key]).toEqual([])
    unsent().keep(key, text('ほかの答え'))
    composer().leaveAnswer('call-1', true)
    expect(written()?.[0]).toEqual(text('長い答え')[0])
    expect(unsent().byKey[key]).toEqual([])
  })

  it('is of its own session, whichever is open when it is put back', async () => {
    const { written, conversation, composer } = await openSession()
    composer().putBack(text('ほかへの頼み'), 'session-2')
    expect(composer().wanted).toBeNull()
    expect(written()).toBeUndefined()
    conversation().open('session-2')
    expect(written()).toEqual(text('ほかへの頼み'))
  })

  it('is wanted once: a box that is shown again shows what was written since', async () => {
    const { composer } = await openSession()
    composer().fillBox(text('一度だけ'))
    composer().filledBox()
    expect(composer().wanted).toBeNull()
  })
})
