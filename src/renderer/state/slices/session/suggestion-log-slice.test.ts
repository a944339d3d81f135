import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'

/** A window whose host remembers `count` suggestions. */
async function opened(count: number) {
  const host = new FakeHost()
  for (let left = count; left > 0; left--) host.suggestionLog.add()
  const { connection, store } = await openWindow({ host, isNamed: false })
  const log = () => store.getState().suggestionLog
  const seqs = () => log().events?.map(({ seq }) => seq)
  return { connection, host, log, seqs }
}

describe('the record of suggestions', () => {
  it('comes page by page, the newest first and none twice', async () => {
    const { log, seqs } = await opened(120)
    expect(seqs()).toBeUndefined()
    await log().load()
    expect(seqs()?.[0]).toBe(120)
    expect(log()).toMatchObject({ hasMore: true, isLoading: false })
    await log().loadMore()
    await log().loadMore()
    expect(seqs()).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at))
    expect(log().hasMore).toBe(false)
  })

  it('is read anew where it was left, with the figures of now', async () => {
    const { host, log, seqs } = await opened(60)
    await log().load()
    await log().loadMore()
    host.suggestionLog.add({ outcome: 'accepted' })
    host.suggestionLog.summary = { ...host.suggestionLog.summary, offered: 61, accepted: 1 }
    await log().load()
    expect(seqs()).toHaveLength(50)
    expect(seqs()?.[0]).toBe(61)
    expect(log().summary).toMatchObject({ offered: 61, accepted: 1 })
  })

  it('is gone when it was erased', async () => {
    const { host, log, seqs } = await opened(3)
    await log().load()
    await log().erase()
    expect(host.suggestionLog.events).toEqual([])
    expect(seqs()).toEqual([])
  })

  it('names the models that pause, until they go on', async () => {
    const { host, log } = await opened(0)
    host.suggestionLog.pauses = [{ profileId: 'slow', reason: 'paused_timeouts' }]
    await log().load()
    expect(log().pauses).toEqual([{ profileId: 'slow', reason: 'paused_timeouts' }])
    await log().resume()
    expect(log().pauses).toEqual([])
  })

  it('says why it cannot be read', async () => {
    const { connection, log } = await opened(1)
    connection.drop()
    await log().load()
    expect(log()).toMatchObject({ events: null, isLoading: false, error: { code: 'rpc/closed' } })
  })
})
