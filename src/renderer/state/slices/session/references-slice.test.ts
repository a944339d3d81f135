import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openSession as openAny, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { FileItem, SessionItem } from '../../../../shared/domain/session/session-item.ts'
import { isOfLastMessage } from './references-slice.ts'

const sessionId = 'session-1'
const text = (value: string) => ({ kind: 'text' as const, text: value })
const chip = (path: string) => ({ kind: 'file-ref' as const, path, range: null })

async function openSession() {
  const host = new FakeHost()
  host.sessions.add()
  const { make, store, asked } = await openAny({ host, sessionId })
  const { composer, references } = store.getState()
  const put = (item: SessionItem) => host.sessions.put(sessionId, item)
  /** A file that reads as two encodings, as the window has it. */
  const twoWays = async (turn: number) => {
    const item = make.file(turn, '古い.txt', { state: 'encoding', encodings: ['shift_jis', 'euc-jp'] })
    put(item)
    await until(() => store.getState().conversation.current?.items.at(-1)?.itemId === item.itemId)
    return item as FileItem
  }
  return { host, make, store, composer, references, put, twoWays, asked }
}

describe('a file that reads as two encodings', () => {
  it('sends the last message again as the chosen one, and is not asked about any more', async () => {
    const { make, put, twoWays, references, composer, asked } = await openSession()
    put(make.user(1, '@古い.txt を読んで'))
    await references.readAs(await twoWays(1), 'euc-jp')
    const wanted = { encodings: { '古い.txt': 'euc-jp' } }
    expect(asked('session.resend')).toEqual([{ sessionId, turn: 1, references: wanted }])
    await composer.send([chip('古い.txt')], 'send', 0)
    expect(asked('session.send')).toMatchObject([{ references: wanted }])
  })

  it('goes into the box where sending again would take more away than its own answer', async () => {
    const { make, put, twoWays, references, store, asked } = await openSession()
    put(make.user(1, '読んで'))
    const early = await twoWays(1)
    put(make.user(2, 'それから'))
    put(make.user(2, '@古い.txt も', { how: 'beside' }))
    const beside = await twoWays(2)
    const items = store.getState().conversation.current?.items ?? []
    expect([early, beside].map((item) => isOfLastMessage(items, item))).toEqual([false, false])
    store.getState().unsent.keep(sessionId, [text('書きかけ ')])
    await references.readAs(early, 'shift_jis')
    expect(asked('session.resend')).toEqual([])
    expect(store.getState().composer.wanted?.segments).toEqual([text('書きかけ '), chip('古い.txt')])
  })
})

describe('what is sent', () => {
  it('is refused in a sentence where it is too long, and nothing goes to the host', async () => {
    const { composer, store, asked } = await openSession()
    const paste = { kind: 'paste' as const, text: 'あ'.repeat(1_000_001) }
    expect(await composer.send([paste], 'send', 0)).toBeNull()
    expect(store.getState().composer.failure).toMatchObject({ code: 'session/message-too-long' })
    expect(asked('session.send')).toEqual([])
  })

  it('asks about a secret in an answer as well, and an answer that is not sent is not taken', async () => {
    const { host, composer, references, store, asked } = await openSession()
    host.references.secrets = ['.env']
    const first = composer.answerQuestion('call-1', [chip('.env')])
    await until(() => store.getState().references.secrets !== null)
    references.answerSecrets(null)
    expect(await first).toBe(false)
    const second = composer.answerQuestion('call-1', [chip('.env')])
    await until(() => store.getState().references.secrets !== null)
    references.answerSecrets(['.env'])
    expect(await second).toBe(true)
    expect(asked('session.answerQuestion')).toMatchObject([
      {},
      {},
      { references: { allowSecrets: ['.env'] } },
    ])
  })

  it('comes back to the box with the reason where it was refused when its turn came', async () => {
    const { host, composer, store } = await openSession()
    const refusal = { code: 'session/cancelled' as const, reason: '検査' }
    const queue = [{ messageId: 'm1', segments: [chip('a.md'), text('を')], refusal }]
    host.sessions.change(sessionId, { queue })
    await until(() => store.getState().conversation.current?.state?.queue.length === 1)
    await composer.takeBack('m1')
    expect(store.getState().composer.wanted?.segments).toEqual(queue[0]?.segments)
    expect(store.getState().composer.failure).toEqual(refusal)
    const { wanted } = store.getState().composer
    await composer.takeBack('m1')
    expect(store.getState().composer.wanted).toBe(wanted)
  })
})
