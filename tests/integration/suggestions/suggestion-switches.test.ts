import { describe, expect, it } from 'vitest'
import type { WorkSettingsPatch } from '../../../src/shared/domain/work/work-settings.ts'
import { justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'
import { watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }

/** A session whose next message is predicted, in a window that watches. */
async function opened() {
  let predictions = 0
  const session = await scriptedHost(
    [...justAnswer('One.'), ...justAnswer('Two.'), ...justAnswer('Three.')],
    {
      language: 'en',
      answer: (request) => {
        if (!JSON.stringify(request.messages?.at(-1) ?? '').includes('SUGGESTION MODE')) return undefined
        predictions += 1
        return { text: 'run the tests' }
      },
    },
  )
  // Not every request of the model: what was predicted is read in advance at some moment after it was shown.
  return { ...session, predictions: () => predictions }
}

async function chooseForFolder({ app, workId }: SessionHost, patch: WorkSettingsPatch): Promise<void> {
  await app.api['work.updateSettings']({ workId, patch }, context)
}

async function chooseForApp({ app }: SessionHost, isOn: boolean): Promise<void> {
  await app.api['settings.update']({ patch: { enableFollowupSuggestions: isOn } }, context)
}

async function turn(session: SessionHost, message: string): Promise<void> {
  await session.say(message)
  await session.rest()
}

describe('the switches of suggestions', () => {
  it('of the folder win over the app’s, at once and in an open session', async () => {
    const session = await opened()
    const { becomes } = await watchSuggestions(session)
    await turn(session, 'tell me about the cat')
    await turn(session, 'and now the dog')
    await becomes({ text: 'run the tests' })
    expect(session.predictions()).toBe(1)

    await chooseForFolder(session, { enableFollowupSuggestions: false })
    await becomes({ text: null, suppressed: 'setting_off' })
    await turn(session, 'and the bird')
    await becomes({ suppressed: 'setting_off' })
    expect(session.predictions()).toBe(1)
    expect(session.llama.counts.generations.length).toBeGreaterThanOrEqual(7)
  })

  it('of the folder turn on what the app has off', async () => {
    const session = await opened()
    await chooseForApp(session, false)
    await chooseForFolder(session, { enableFollowupSuggestions: true })
    const { becomes } = await watchSuggestions(session)
    await turn(session, 'tell me about the cat')
    await turn(session, 'and now the dog')
    await becomes({ text: 'run the tests' })
    await chooseForFolder(session, { enableFollowupSuggestions: null })
    await becomes({ text: null, suppressed: 'setting_off' })
  })

  it('let a folder keep its cache to itself', async () => {
    const session = await opened()
    await chooseForFolder(session, { enableCacheSharing: false })
    const { becomes } = await watchSuggestions(session)
    await turn(session, 'tell me about the cat')
    await turn(session, 'and now the dog')
    await becomes({ text: null, suppressed: 'cache_sharing_off' })
    expect(session.predictions()).toBe(0)
    expect(session.llama.counts.generations).toHaveLength(4)
  })

  it('of a folder that is not open are refused', async () => {
    const { app } = await opened()
    const patch = { enableFollowupSuggestions: false }
    await expect(app.api['work.updateSettings']({ workId: 'nowhere', patch }, context)).rejects.toMatchObject(
      {
        info: { code: 'work/not-open' },
      },
    )
  })
})
