import { expect, it, onTestFinished } from 'vitest'
import { createFakeLlamaServer, type FakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import type { ChatMessage } from '../../fakes/servers/llama/answer.ts'
import { justAnswer, scriptedMind } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'
import { watchSpeculations } from '../../fakes/sessions/speculation-watch.ts'
import { requestEnded, requestsOf, watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }

/** A session with a second model of the role, at `address`, else on a server of its own. */
async function withFast(address?: (main: FakeLlamaServer) => string, role: 'fast' | 'speculation' = 'fast') {
  const session = await scriptedHost([], { language: 'en' })
  const { mind } = session
  const quick = scriptedMind()
  const fast = await createFakeLlamaServer({ contextTokens: 8_192, slots: 1, answer: quick.answer })
  onTestFinished(() => fast.close())
  const { api } = session.app
  const profiles = (await api['profile.list']({}, context)).profiles
  const [main] = profiles
  if (main === undefined || main.backend !== 'openai') throw new Error('a profile of a server')
  const place = { address: address?.(session.llama) ?? fast.address, model: 'small', name: 'small' }
  const { profile } = await api['profile.save']({ profile: { ...main, ...place, id: 'new' } }, context)
  await api['profile.select']({ profileId: profile.id, role }, context)
  const window = await watchSuggestions(session)
  const turn = async (message: string, suggestion: string) => {
    mind.think(...justAnswer(`About ${message}: it is so.`))
    mind.suggest(suggestion)
    quick.suggest(JSON.stringify({ suggestion }))
    await session.say(message)
    await session.rest()
  }
  mind.think(...justAnswer('It sleeps.'))
  await session.say('tell me about the cat '.repeat(10))
  await session.rest()
  return { session, fast, quick, window, turn, profileId: profile.id }
}

function conversations(fast: FakeLlamaServer): ChatMessage[][] {
  return fast.requests.flatMap(({ body }) =>
    typeof body === 'object' && body !== null && 'messages' in body && 'max_tokens' in body
      ? [body.messages as ChatMessage[]]
      : [],
  )
}

it('asks a fast model of its own, whose prompt only grows, and leaves the main one to the conversation', async () => {
  const { session, fast, window, turn } = await withFast()
  await turn('the dog', 'run the tests')
  expect(await window.shown()).toMatchObject({ text: 'run the tests', source: 'model' })
  await window.decide('ignored')
  await turn('the bird', 'commit this')
  await window.becomes({ text: 'commit this' })

  const [first, second] = conversations(fast)
  if (first === undefined || second === undefined) throw new Error('two suggestions')
  expect(second.slice(0, first.length - 1)).toEqual(first.slice(0, -1))
  expect(JSON.stringify(second)).toContain('About the bird')
  expect(JSON.stringify(second)).not.toContain('next_step')
  const [cold, warm] = fast.counts.generations
  expect(cold?.reusedTokens).toBe(0)
  // Of the first prompt all but the question itself was still there.
  expect(warm?.reusedTokens).toBeGreaterThan((cold?.promptTokens ?? 0) / 2)

  const requests = await requestsOf(session)
  const asked = requests.filter(({ purpose }) => purpose === 'prompt_suggestion')
  expect(asked).toMatchObject([
    { modelName: 'small', isBackground: true },
    { modelName: 'small', isBackground: true },
  ])
  expect(requests.map(({ purpose }) => purpose)).not.toContain('forked_query')
  expect(session.bugs).toEqual([])
})

it('turns to the main model when the fast one is gone, without a word', async () => {
  const { session, fast, window, turn } = await withFast()
  fast.die()
  await turn('the dog', 'run the tests')
  await requestEnded(session, 'forked_query')
  expect((await session.items()).map(({ kind }) => kind)).not.toContain('error')
  await window.becomes({ text: 'run the tests' })
  expect(session.bugs).toEqual([])
})

it('does not let a fast model push the main one out of its only place', async () => {
  const { session, fast, window, turn } = await withFast(({ address }) =>
    address.replace('127.0.0.1', 'localhost'),
  )
  await turn('the dog', 'run the tests')
  await window.becomes({ text: 'run the tests' })
  expect((await requestEnded(session, 'forked_query')).modelName).not.toBe('small')
  expect(fast.requests).toEqual([])
})

it('speculates on what is suggested with the fast model where the user wants that, and nothing of it is in the conversation', async () => {
  const { session, window, turn, quick } = await withFast()
  const { api } = session.app
  await api['settings.update']({ patch: { enableSpeculation: true, speculationRole: 'fast' } }, context)
  const speculations = await watchSpeculations(session)
  quick.think(...justAnswer('Nothing to do.'))
  const before = (await session.items()).length
  await turn('the dog', 'what is left')
  await window.shown()
  expect(await speculations.becomes({ phase: 'completed' })).toMatchObject({
    modelName: 'small',
    text: 'what is left',
  })
  const played = (await requestsOf(session)).filter(({ purpose }) => purpose === 'speculation')
  expect(new Set(played.map(({ modelName }) => modelName))).toEqual(new Set(['small']))
  expect((await session.items()).length).toBeGreaterThan(before)
  expect(JSON.stringify(await session.items())).not.toContain('Nothing to do.')
  expect(session.bugs).toEqual([])
})

it('speculates with a model of its own, says where that is not there, and turns to the main one where it is removed', async () => {
  const { session, fast, window, turn, quick, profileId } = await withFast(undefined, 'speculation')
  const { api } = session.app
  await api['settings.update'](
    { patch: { enableSpeculation: true, speculationRole: 'speculation' } },
    context,
  )
  const speculations = await watchSpeculations(session)
  quick.think(...justAnswer('Nothing to do.'))
  await turn('the dog', 'what is left')
  expect(await window.shown()).toMatchObject({ text: 'what is left' })
  const link = await speculations.becomes({ phase: 'completed', modelName: 'small' })
  // What is suggested in the session is the main model's; this one is asked only behind its own run.
  const asked = conversations(fast).map((messages) => JSON.stringify(messages))
  expect(asked.filter((one) => one.includes('SUGGESTION MODE') && !one.includes('Nothing to do.'))).toEqual(
    [],
  )
  await speculations.reject(link)

  fast.die()
  await turn('the bird', 'and the bird')
  await expect
    .poll(() => speculations.states.at(-1)?.ended)
    .toMatchObject({ text: 'and the bird', reason: 'failed', error: { code: 'model/unreachable' } })
  expect((await session.items()).map(({ kind }) => kind)).not.toContain('error')

  await api['profile.remove']({ profileId }, context)
  expect((await api['settings.get']({}, context)).speculationProfileId).toBeNull()
  await turn('the cow', 'and the cow')
  const accepted = await speculations.becomes({ text: 'and the cow' })
  expect(accepted.modelName).not.toBe('small')
  expect(session.bugs).toEqual([])
})
