import { describe, expect, it } from 'vitest'
import type { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import {
  mockHost,
  mockSessionId,
  openSession as openAny,
  until,
} from '../../../../../tests/fakes/window-host/open-window.ts'
import { noSuggestion, type SuggestionOutcome } from '../../../../shared/domain/session/suggestion.ts'
import type { AppStore } from '../../app-store.ts'
import { offeredSuggestion, shownPause } from './suggestion-slice.ts'

const sessionId = mockSessionId
const ignored: SuggestionOutcome = {
  outcome: 'ignored',
  method: null,
  timeMs: 10,
  firstKeystrokeMs: 5,
  wasFocused: true,
}
const watched = (host: FakeHost) =>
  host.calls.filter(({ method }) => method === 'suggestion.watch').map(({ input }) => input)

/** A window with a session in which nothing waits. */
async function openSession() {
  const { host } = mockHost()
  host.sessions.change(sessionId, { openGates: [] })
  const { connection, store } = await openAny({ host })
  return { connection, host, store, offered: () => offeredSuggestion(store.getState())?.text ?? null }
}

async function offer({ host, offered }: Awaited<ReturnType<typeof openSession>>, text: string) {
  host.suggestions.offer(text)
  await until(() => offered() === text)
  return host.suggestions.state.suggestionId ?? ''
}

describe('suggestions in a window', () => {
  it('are those of the session in view, which a person looks at, and end with it', async () => {
    const stage = await openSession()
    const { host, store, offered } = stage
    expect(watched(host).at(-1)).toEqual({ sessionId, isAttended: true })
    await offer(stage, '続けて')
    store.getState().conversation.open('session-1')
    expect(offered()).toBeNull()
    await until(() => (watched(host).at(-1) as { sessionId: string }).sessionId === 'session-1')
    const { length } = watched(host)
    store.getState().conversation.close()
    expect(store.getState().suggestion.current).toEqual(noSuggestion)
    host.suggestions.offer('もう一つ')
    await Promise.resolve()
    expect([offered(), watched(host).length]).toEqual([null, length])
  })

  it('come again after a lost connection', async () => {
    const stage = await openSession()
    const { length } = watched(stage.host)
    stage.connection.drop()
    await until(() => watched(stage.host).length === length + 1)
    await offer(stage, '続けて')
  })

  it('are told of once, and stay gone', async () => {
    const stage = await openSession()
    const { host, store, offered } = stage
    const id = await offer(stage, '続けて')
    const { state } = host.suggestions
    const told = store.getState().suggestion.tell({ suggestionId: id, ...ignored })
    expect(offered()).toBeNull()
    expect([await told, await store.getState().suggestion.tell({ suggestionId: id, ...ignored })]).toEqual([
      true,
      false,
    ])
    expect(host.suggestions.outcomes).toEqual([{ suggestionId: id, ...ignored }])
    // A host that has not heard of it yet.
    host.suggestions.become(state)
    await offer(stage, '別の')
    host.suggestions.become(state)
    await until(() => offered() === null)
  })

  it('that another window has decided come too late', async () => {
    const stage = await openSession()
    stage.host.suggestions.isTooLate = true
    const id = await offer(stage, '続けて')
    expect(await stage.store.getState().suggestion.tell({ suggestionId: id, ...ignored })).toBe(false)
  })

  const closing: [string, (host: FakeHost, store: AppStore) => void][] = [
    [
      'a run',
      (host) =>
        host.sessions.change(sessionId, { activity: { phase: 'writing', progress: null, startedAt: 0 } }),
    ],
    ['a gate', (host) => host.sessions.change(sessionId, { openGates: ['gate-1'] })],
    [
      'a waiting message',
      (host) => host.sessions.change(sessionId, { queue: [{ messageId: 'm', segments: [] }] }),
    ],
    ['a dialog', (_, store) => store.getState().ui.open({ kind: 'palette' })],
    ['an old message that is written anew', (_, store) => store.getState().composer.edit(1)],
  ]
  it.each(closing)('give way to %s', async (_, close) => {
    const stage = await openSession()
    await offer(stage, '続けて')
    close(stage.host, stage.store)
    await until(() => stage.offered() === null)
    expect(stage.host.suggestions.outcomes).toEqual([])
  })

  it('that have stopped say so until the user has read it, and again the next time', async () => {
    const stage = await openSession()
    const { host, store } = stage
    const pause = () => shownPause(store.getState())
    host.suggestions.become({ ...noSuggestion, suppressed: 'run_active' })
    expect(pause()).toBeNull()
    host.suggestions.become({ ...noSuggestion, suppressed: 'paused_cache' })
    await until(() => pause() === 'paused_cache')
    await store.getState().suggestion.resume()
    await until(() => pause() === null)
    host.suggestions.become({ ...noSuggestion, suppressed: 'paused_timeouts' })
    await until(() => pause() === 'paused_timeouts')
    store.getState().suggestion.hidePause()
    expect(pause()).toBeNull()
    await offer(stage, '続けて')
    host.suggestions.become({ ...noSuggestion, suppressed: 'paused_timeouts' })
    await until(() => pause() === 'paused_timeouts')
  })
})
