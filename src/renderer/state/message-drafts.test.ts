import { describe, expect, it } from 'vitest'
import {
  openSession as openWindow,
  type WindowOptions,
} from '../../../tests/fakes/window-host/open-window.ts'
import { answerKey, draftKey } from './slices/session/draft-key.ts'

const sessionId = 'session-3'
const text = (value: string) => [{ kind: 'text' as const, text: value }]

async function openSession(options?: WindowOptions) {
  const opened = await openWindow(options)
  const drafts = () => opened.store.getState().drafts
  const written = () => drafts().byKey[draftKey(opened.sessions())]
  return { ...opened, drafts, written }
}

describe('what stands in the box', () => {
  it('comes back when a message that was written anew is sent or left', async () => {
    const { sessions, drafts, written } = await openSession()
    drafts().keep(sessionId, text('書きかけ'))
    sessions().edit(1)
    expect(written()).not.toEqual(text('書きかけ'))
    sessions().stopEditing()
    expect(sessions().editing).toBeNull()
    expect(written()).toEqual(text('書きかけ'))
  })

  it('is kept apart from the message that is written anew, through a look at another session', async () => {
    const { sessions, drafts, written } = await openSession()
    drafts().keep(sessionId, text('書きかけ'))
    sessions().edit(1)
    drafts().keep(draftKey(sessions()), text('直した頼み'))
    sessions().open('session-2')
    sessions().open(sessionId)
    await expect.poll(() => sessions().current?.status).toBe('ready')
    expect(written()).toEqual(text('書きかけ'))
    sessions().edit(1)
    expect(written()).toEqual(text('直した頼み'))
  })

  it('stands behind what is put back, and stays alone where nothing was', async () => {
    const { sessions, drafts, written } = await openSession()
    sessions().putBack(text('戻したもの'))
    expect(written()).toEqual(text('戻したもの'))
    drafts().keep(sessionId, text('書きかけ'))
    sessions().putBack(text('戻したもの'))
    const joined = [...text('戻したもの'), ...text('\n'), ...text('書きかけ')]
    expect(written()).toEqual(joined)
    expect(sessions().wanted?.segments).toEqual(joined)
  })

  it('gets the answer that was being written to a question that closed, unless it was answered', async () => {
    const { sessions, drafts, written } = await openSession()
    const key = answerKey(sessions(), 'call-1')
    drafts().keep(sessionId, text('書きかけ'))
    drafts().keep(key, text('長い答え'))
    sessions().leaveAnswer('call-1', false)
    expect(written()).toEqual([...text('長い答え'), ...text('\n'), ...text('書きかけ')])
    expect(drafts().byKey[key]).toEqual([])
    drafts().keep(key, text('ほかの答え'))
    sessions().leaveAnswer('call-1', true)
    expect(written()?.[0]).toEqual(text('長い答え')[0])
    expect(drafts().byKey[key]).toEqual([])
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
