import { expect, it } from 'vitest'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import { loggedSpeculationOf } from '../../../../../tests/fakes/window-host/speculation-fixtures.ts'

it('reads what became of speculations, page by page, until it is erased with the suggestions', async () => {
  const { host, store } = await openWindow()
  const log = () => store.getState().speculationLog
  host.speculations.events = Array.from({ length: 60 }, (_, at) => loggedSpeculationOf(60 - at))
  await log().load()
  expect([log().events?.length, log().hasMore]).toEqual([50, true])
  await log().loadMore()
  expect([
    log()
      .events?.map(({ seq }) => seq)
      .at(-1),
    log().hasMore,
  ]).toEqual([1, false])
  await store.getState().suggestionLog.erase()
  expect(log().events).toEqual([])
})

it('says that no speculation runs any more, until one may again', async () => {
  const { host, store } = await openWindow()
  const log = () => store.getState().speculationLog
  host.speculations.state = { ...host.speculations.state, pause: { accepted: 2, finished: 20 } }
  await log().load()
  expect(log().pause).toEqual({ accepted: 2, finished: 20 })
  await log().resume()
  expect(log().pause).toBeNull()
})
