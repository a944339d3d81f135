/** What suggestions must not cost: a model's cache, and the user's patience. */
import { describe, expect, it } from 'vitest'
import { justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'
import { requestEnded, requestsOf, watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }

async function host(options: SessionHostOptions = {}) {
  const session = await scriptedHost(justAnswer('The cat sleeps.'), { language: 'en', ...options })
  const { mind } = session
  const window = await watchSuggestions(session)
  const turn = async (message: string) => {
    mind.think(...justAnswer('So it is.'))
    mind.suggest('run the tests')
    await session.say(message)
    await session.rest()
  }
  mind.suggest('run the tests')
  await session.say('tell me about the cat '.repeat(20))
  await session.rest()
  const forked = async () =>
    (await requestsOf(session)).filter(({ purpose }) => purpose === 'forked_query').length
  return { session, window, turn, forked }
}

describe('a server whose cache does not last', () => {
  it('is left alone after two losses, says so, and is asked again when the user wants it', async () => {
    // Any request in between replaces the only cache.
    const { session, window, turn, forked } = await host({ llama: { cacheRamMiB: 0 } })
    const { llama, app } = session
    const intrude = async () => {
      const body = JSON.stringify({ prompt: 'a long story of another program '.repeat(40), n_predict: 1 })
      const answer = await fetch(`${llama.address}/completion`, { method: 'POST', body })
      expect(answer.status).toBe(200)
      await answer.text()
    }
    for (let count = 1; count <= 2; count++) {
      await turn(`and then ${count}`)
      await window.shown()
      await requestEnded(session, 'forked_query', count)
      // Only the first suggestion is read in advance: after a loss none is.
      await requestEnded(session, 'pre_read')
      await expect.poll(() => llama.pendingCount).toBe(0)
      await intrude()
    }
    await turn('and after that')
    await window.becomes({ text: null, suppressed: 'paused_cache' })
    const { pauses } = await app.api['suggestion.list']({ limit: 10 }, context)
    expect(pauses).toMatchObject([{ reason: 'paused_cache' }])
    const before = await forked()
    await turn('and once more')
    await window.becomes({ text: null, suppressed: 'paused_cache' })
    expect(await forked()).toBe(before)

    await app.api['suggestion.resume']({}, context)
    await turn('and now')
    await window.shown()
    expect(await forked()).toBe(before + 1)
    expect(session.bugs).toEqual([])
  })
})

describe('a server that fails a suggestion', () => {
  it.each(['error-under-200', 'not-json', 'unauthorized'] as const)(
    '%s: nothing is shown of it',
    async (fault) => {
      const { session, window, turn } = await host()
      session.llama.options.fault = ({ body }) => (isSuggestion(body) ? fault : undefined)
      await turn('and then')
      await window.becomes({ text: null, suppressed: 'error' })
      expect((await session.items()).map(({ kind }) => kind)).not.toContain('error')
      expect((await requestEnded(session, 'forked_query')).end).toBe('failed')
      delete session.llama.options.fault
      await turn('go on')
      await window.shown()
      expect(session.bugs).toEqual([])
    },
  )
})

function isSuggestion(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'max_tokens' in body && body.max_tokens === 64
}
